# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 12: two-timescale descent
#
# Barboni et al. 2025, circle, unbiased, seed 0. Instead of projecting the outer weights in each iteration (solid), let them take one gradient
# step of size $\lambda M$ (dashed), while the features take one of size $M\tau$, $\tau = 2^{-10}$. The outer weights are
# $\lambda/\tau = 102$, 10 and 1 times as fast. With a ratio of 102 the two agree; with 1 the outer weights lag behind, and learning is slower at first.
# Circles are points of the published curves.
#
# At smaller ridges the descent is unstable and ends in an error that says so: at $\lambda = 10^{-4}$ within five iterations.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "circle_two_timescale_ridge0.1"
parameters = {"ridge": 0.1}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig12", preset)

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
