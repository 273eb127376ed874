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
# # Three data sets that Gaussian theory explains, and one that it does not
#
# Random features of your data, or of digits where you gave none, and of three sets of images. Marks are measured on
# held-out samples, lines are the replica equations with the measured moments. Bottom: the change of the logistic test
# loss from one surrogate to the next, and what too few samples do to the moments. The title tells by how much the
# logistic loss exceeds theory.

# %% tags=["parameters"]
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("data_sets", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
