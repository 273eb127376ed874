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
# # Figure 26

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.figures import onestep
from twolayer.figures.page import Page

page = Page.open("fig26", scale)

# %%
drawing = onestep.fig26(page.results)
page.save(drawing)

# %% [markdown]
# ## Verdict

# %%
page.table()
