# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 11: densities of the features
#
# Barboni et al. 2025, circle, $M = 1024$, $\lambda = 10^{-4}$, unbiased; $M = 512$ and a single network at the quick
# scale, but for the checks of the first iterations. Left: the ultra-fast diffusion
# $\partial_t f = -\partial_x \big( f^* \partial_x (f^*/f) \big)$ from the uniform density. Right: features of the networks, smoothed by a Gaussian of
# standard deviation 0.04; dotted, the mean-field flow at this ridge through the same kernel (not in the paper).
#
# The side bumps of the learned densities are no artefact of width or noise: the mean-field flow has them too. They are made of
# odd harmonics, which a relu without bias cannot see and hence cannot correct. The animation `fig11.gif` shows one network
# (smoothed by 0.1) beside the diffusion.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "diffusion_gamma100"
parameters = {"gamma": 100.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig11", preset)

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
page.compare(run, parameters, curve="density")
