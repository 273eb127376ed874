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
# # Figure 31: images that generators learned from, and images that they give
#
# Goldt et al. 2021. The inputs of figures 34 to 38 are images that a network generates from a normal latent $c$: a dcGAN
# (transposed convolutions, trained against a discriminator, or with random weights) and a real NVP (a bijection, trained by
# maximum likelihood). Both are trained here, once, and every figure takes the same weights. The titles say on which images:
# CIFAR-10 at the paper's scale, embedded images of fewer pixels at the quick one.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.page import Page

page = Page.open("fig31", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
