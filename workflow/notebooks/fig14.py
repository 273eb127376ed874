# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 14: concentration of the teacher
#
# Barboni et al. 2025, circle, $M = 1024$, $\lambda = 10^{-4}$, unbiased; at the quick preset one network of $M = 512$, and six of
# $M = 1024$ for the first iterations. The more concentrated the teacher, the slower the descent: with
# $\gamma = 1000$ it is not over after 32,000 iterations. Circles are points of the published curves.
#
# The distance to the diffusion grows at $\gamma = 1000$, while the distance to the mean-field flow at this ridge (bottom right, not in the
# paper) does not: its notebook, figure 10, explains why. Dotted, top left: the risk of that flow.
#
# The published risk ends in a plateau near $4 \cdot 10^{-7}$, which is the rounding of its single precision; in double precision
# the networks go on below it.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "circle_start_gamma100"
parameters = {"ridge": 0.0001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig14", preset)

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
