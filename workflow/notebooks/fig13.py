# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 13: the teacher
#
# Barboni et al. 2025, circle. The features of the teacher follow a mixture of two wrapped Cauchy distributions,
#
# $$f^*(x) = \frac{\sqrt{1+\gamma}}{2\pi} \left[ \frac{2/3}{1 + \gamma \sin^2(x/2)} + \frac{1/3}{1 + \gamma \sin^2((x - 0.4\pi)/2)} \right].$$
#
# Dots are frequencies of 200,000 draws in 100 bins. A bin is wider than the peak at $\gamma = 1000$, so that no dot
# reaches its maximum.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "teachers"
parameters = {"gamma": [10.0, 100.0, 1000.0]}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig13", preset)

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
