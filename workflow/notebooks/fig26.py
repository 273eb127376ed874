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
# # Figure 26: error against $\beta$ for three ways to split it
#
# Demir and Dogan 2025, Figure 5. Spikes of size $\theta = n^{\beta(1-\alpha)}$ and a step of size $\eta =
# n^{\beta\alpha}$: only spikes ($\alpha = 0$), both, only the step ($\alpha = 1$). Points, lines and crosses are as in
# figure 22, whose last panel is the middle one here; the crosses are missing on the right, where the paper keeps one
# draw of the data for all $\beta$.
#
# The theory of frozen features (black) has no simulation in it. At $\alpha = 0$ the step does nothing, and the curve
# carries until the spike itself bends the activation, $\theta$ no longer small against $n$: the published ReLU network
# at $\beta = 2/3$, $\theta/n = 0.10$, has 0.0047 for 0.0031. At $\alpha = 1$ it carries until $\eta$ is comparable to
# $\sqrt{n}$, at $\beta = 1/2$; from there on networks learn from the step, which the theory leaves out: the published
# ReLU network at $\beta = 1$, $\eta/\sqrt{n} = 32$, has 0.090 for 0.109.
#
# The degree rule asks for $l = \lceil\beta/(1-\beta)\rceil$, of which the code takes at most 4. The two models are
# compared up to $\beta = 0.8$, where this is enough.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.page import Page

page = Page.open("fig26", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
