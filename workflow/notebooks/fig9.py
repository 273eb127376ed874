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
# Barboni et al. 2025, circle, $\lambda = 10^{-3}$. Left: distance between the feature distributions of student and
# teacher, as energy distance (the MMD of the kernel $-|a - b|$). Right: distance to the solution of the ultra-fast
# diffusion at the same time, $t = $ iteration $/\,1024$. Solid lines are unbiased, dashed lines biased. Circles are
# points of the published curves: means over six networks at the paper preset, the first network at the quick preset.
#
# The biased risk keeps pulling the outer weights to zero, and its features end farther from the teacher.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "circle_start_unbiased"
# The mean-field flow has four ridges: 0.1, 0.01, 0.001 and 0.0001. Choose one of them.
parameters = {"samples": 4096, "ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig9", preset)

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
page.compare(run, parameters, curve="mmd_teacher")
