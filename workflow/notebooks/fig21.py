# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 21: a teacher on the torus
#
# Barboni et al. 2025, torus. Left: the features of the teacher with $\gamma = 100$ around its two centres. Their
# coordinates are independent and have heavy tails, so that the features form crosses. Right: the output of the
# teacher for an input in the same cell.
#
# Two animations show how the widest unbiased network of figure 17 learns from this teacher. `fig21-scatter.gif` shows
# its features, and `fig21-density.gif` their density, smoothed by a Gaussian kernel with Scott's bandwidth. As in the
# paper, the kernel ignores that the torus is periodic. Near an edge of the cell the density is therefore too low. The
# kernel has the covariance of all features, which stretches both blobs along the line between them. The paper does
# not state which of its networks the animations show, or until which time. `page.animate("fig21-scatter")` makes the
# first one, in a minute.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "torus_ridge1e-3_unbiased"
parameters = {"gamma": 100.0, "ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig21", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/varpro.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="risk")
