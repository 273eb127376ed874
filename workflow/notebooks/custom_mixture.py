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
# # A mixture of your own
#
# Means, labels, priors and noise come from `config/custom_mixture.yaml`. A two-layer network learns it by online SGD: in $N$
# dimensions, through its order parameters (the same distribution at a cost independent of $N$), and by the equations of motion
# ($N\to\infty$). Bottom: random features, the error of their best linear readout for a range of noise, and a readout
# that is trained online.

# %% tags=["parameters"]
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_mixture", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
