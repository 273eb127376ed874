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
# Barboni et al. 2025, circle. The teacher's features follow a mixture of two wrapped Cauchy distributions,
#
# $$f^*(x) = \frac{\sqrt{1+\gamma}}{2\pi} \left[ \frac{2/3}{1 + \gamma \sin^2(x/2)} + \frac{1/3}{1 + \gamma \sin^2((x - 0.4\pi)/2)} \right].$$
#
# Dots: frequencies of 200,000 draws in 100 bins. A bin is wider than the peak at $\gamma = 1000$, whose top no dot reaches.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "teachers"
parameters = {"gamma": [10.0, 100.0, 1000.0]}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig13", preset)

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
