# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
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
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig13", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
