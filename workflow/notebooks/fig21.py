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
# Barboni et al. 2025, torus. Left: the features of the teacher, $\gamma = 100$, around two centres in turn. Their coordinates are
# independent and have heavy tails, hence the crosses. Right: the teacher's answer to an input in the same cell.
#
# Two animations show a network of figure 17 (the widest, unbiased) that learns from this teacher: `fig21-scatter.gif` its
# features, `fig21-density.gif` their density, smoothed by a Gaussian kernel of Scott's bandwidth. As in the paper the kernel
# knows nothing of the torus, so that near an edge of the cell the density is too low, and it has the shape of all features'
# covariance, which draws both blobs out along the line between them. The paper does not say which of its networks
# the animations show, nor until when.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "torus_ridge1e-3_unbiased"
parameters = {"gamma": 100.0, "ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig21", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The new curve next to the curve of the workflow. Nothing is written. All runs and their parameters are in
# `config/varpro.yaml`.

# %%
page.compare(run, parameters, curve="risk")
