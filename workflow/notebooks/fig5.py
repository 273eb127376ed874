# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 5: the mixture after random features
#
# Refinetti et al. 2021, Figure 5. Random features $z_i = \mathrm{relu}(P_i\cdot x/\sqrt D)$ of the XOR mixture are
# projected on the three axes that the mean features of the clusters span. Ellipses are the closed form of mean and
# covariance.
#
# The first two axes show the plane of the means, in which no line separates the labels. The third axis decides
# whether random features separate them. In the low regime the features are a linear image of the input up to small
# corrections, and the third axis contains noise only. In the high regime the mixture is folded: the labels are on
# different sides of a plane. The titles state the error of the best plane in this space, which the check compares
# with the points.

# %% tags=["parameters"]
# To change a parameter of a run, edit `cloud_mixed` in config/mixtures.yaml. Then call
# `snakemake figures/quick/fig5.pdf`.
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig5", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()
