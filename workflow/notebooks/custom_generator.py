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
# # What would your generator do?
#
# A student learns from what a generator gives, a teacher sees its latents: SGD on its inputs, on Gaussian inputs with the
# same moments, and the equations of motion. Below, regression on random features of its inputs against the replica
# equations, and how far pre-activations are from Gaussian ones.

# %% tags=["parameters"]
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_generator", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
