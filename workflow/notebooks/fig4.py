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
# # Figure 4: three regimes of the signal-to-noise ratio
#
# Refinetti et al. 2021, Figure 4. Class error against the noise $\sigma$, for the XOR mixture (top) and for three clusters on
# a line, label $-1$ on both sides of label $+1$ (bottom).
#
# * **Low**: means of length 1. Random features are at chance where the network is not.
# * **High**: means of length $\sqrt N$. Both succeed.
# * **Mixed**: one coordinate of length $\sqrt N$, one of length 1. Random features see the strong one.
#
# Random features come from the closed form (crosses: the same readout on fresh samples), networks from simulations by the
# chain of order parameters, from random initial weights; where the equations of motion hold, also from their fixed point.
# In the high and mixed regimes there are no such equations: a single step changes the order parameters by a finite amount.
#
# **Three clusters.** A relu network without biases vanishes at the centre, where label $+1$ lies, and has to build its
# positive output from the noise. It learns slowly and stays far from the oracle. Large learning rates are unstable for strong
# noise, since $|x|^2/N\approx\sigma^2$; the high regime is learned at a rate of 0.002.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.page import Page

page = Page.open("fig4", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
