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
# # Figure 36: learning from normalising flows
#
# Goldt et al. 2021. As figures 33 to 35, with a real NVP as generator, a bijection: its latents have as many dimensions
# as its inputs, $\delta = D / N = 1$. Left, a flow of dense couplings with random weights; right, a flow of
# convolutions on two scales that was trained by maximum likelihood on the images that the title names.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.page import Page

page = Page.open("fig36", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
