# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 9: width and distances
#
# Barboni et al. 2025, circle, $\lambda = 10^{-3}$. Left: distance of the feature distribution to the teacher's, as energy distance
# (the MMD of the kernel $-|a - b|$). Right: distance to the solution of the ultra-fast diffusion at the same time,
# $t = $ iteration $/\,1024$. Solid: unbiased, dashed: biased; circles are points of the published curves:
# means over six networks at the paper preset, the first network at the quick one.
#
# The biased risk keeps pulling the outer weights to zero: its features end farther from the teacher.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "circle_start_unbiased"
parameters = {"ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig9", preset)

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
