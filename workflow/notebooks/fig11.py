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
# Barboni et al. 2025, circle, $M = 1024$, $\lambda = 10^{-4}$, unbiased. The quick preset has a single network with
# $M = 512$, and more networks for the checks of the first iterations. Left: the ultra-fast diffusion
# $\partial_t f = -\partial_x \big( f^* \partial_x (f^*/f) \big)$ from the uniform density. Right: features of the
# networks, smoothed by a Gaussian of standard deviation 0.04. Dotted lines are the mean-field flow at this ridge,
# smoothed in the same way (not in the paper).
#
# The side bumps of the learned densities are not an artefact of width or noise, because the mean-field flow has them
# too. They consist of odd harmonics. A relu without bias does not depend on these, so that learning does not correct
# them. The animation `fig11.gif` shows one network (smoothed by 0.1) next to the diffusion. `page.animate("fig11")` makes
# it, in a minute.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "diffusion_gamma100"
parameters = {"gamma": 100.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig11", preset)

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
page.compare(run, parameters, curve="density")
