# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 18: width and distance to the teacher on the torus
#
# Barboni et al. 2025, torus, distance of the features' distribution to the teacher's for four widths, at $\lambda = 10^{-3}$. It
# is the energy distance
#
# $$\mathrm{MMD}^2(\mu, \nu) = 2\,\mathbb E|w - v| - \mathbb E|w - w'| - \mathbb E|v - v'|, \qquad w, w' \sim \mu,\; v, v' \sim \nu,$$
#
# with the shortest way on the torus for $|\cdot|$. The unbiased risk takes the features to the teacher's as far as their number
# allows; the biased one, whose minimum is elsewhere, does not.
#
# Circles are points of the published curves. Those are of one seed and of random numbers that are not known. The published
# notebooks show other runs of the same experiments, which differ from them by up to 20 percent at the end and 30 percent at
# the start; over four seeds of our own, networks of 128 and 512 features spread by 10 to 18 percent, more while the risk falls
# steeply. That far the two can be expected to agree, and no further. The quick preset has the paper's data
# and teacher, networks of 32 and 128 features, and 4,000 iterations.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "torus_narrow_width32_unbiased"
parameters = {"gamma": 100.0, "ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig18", preset)

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
page.compare(run, parameters, curve="mmd_teacher")
