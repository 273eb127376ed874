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
# # Phase diagrams of online learning
#
# Maps of networks that learn the XOR mixture, by the chain of their order parameters. Top: rate of success and class error
# against the number of hidden units and the learning rate, from random initial weights. Bottom: how long a network with a
# kept second layer stays on the plateau on which it has not found the means, against noise and learning rate; the black
# line is where the plateau becomes stable in theory, and each mark of the last panel a cell of the map.

# %% tags=["parameters"]
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("phases", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
