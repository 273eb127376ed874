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
# Means, labels, priors and noise come from `config/own.yaml`. A two-layer network learns it by online SGD: in $N$
# dimensions, through its order parameters (the same law at a cost independent of $N$), and by the equations of motion
# ($N\to\infty$). Bottom: random features, the error of their best linear readout for a range of noise, and a readout
# that is trained online.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("own", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
