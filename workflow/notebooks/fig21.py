# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
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
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig21", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
