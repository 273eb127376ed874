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
# Barboni et al. 2025, circle, unbiased, seed 0. Variable projection solves for the outer weights in each iteration
# (solid). Two-timescale descent takes one gradient step of size $\lambda M$ in the outer weights instead (dashed).
# The features take a step of size $M\tau$ with $\tau = 2^{-10}$. The outer weights are $\lambda/\tau = 102$, 10 and 1
# times as fast as the features. With a ratio of 102 the two algorithms agree. With a ratio of 1 the outer weights are
# too slow, and learning is slower at first. Circles are points of the published curves.
#
# At smaller ridges the descent is unstable, and the run ends with an error message: at $\lambda = 10^{-4}$ within
# five iterations.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "circle_two_timescale_ridge0.1"
# The mean-field flow has four ridges: 0.1, 0.01, 0.001 and 0.0001. Choose one of them.
parameters = {"samples": 4096, "ridge": 0.1}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig12", preset)

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
