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
# # Figure 22: one gradient step, network against Hermite model
#
# Demir and Dogan 2025, Figure 1. A network $f(x) = w^\top\varphi(Fx)/\sqrt{k}$ takes one gradient step of size $\eta =
# n^{\beta\alpha}$ on its first layer; its second layer is then fitted by ridge regression to fresh data. The inputs
# come from a mixture whose covariances have a spike of size $\theta = n^{\beta(1-\alpha)}$; labels are
# $\mathrm{relu}(\xi\cdot x)$. The Hermite model has $\sum_{i\le l} h_i\,\mathrm{He}_i(z/b) + h_*\varepsilon$ in the
# place of $\varphi(z)$.
#
# Data are drawn afresh for every trial, so that the error bars (standard errors) hold what the draw of the data
# contributes; the paper has one draw for all trials of a point. That draw is replayed, in the order of the published
# code's random numbers (crosses, at the paper's scale). The degree is the code's, 3, not the 5 of the caption.
#
# **Not in the paper**: a curve with no simulation in it (black). As long as $\theta \ll n$ and $\eta \ll \sqrt{n}$,
# neither spike nor step changes the features, and the replica solution of ridge regression on random features, with the
# Marchenko-Pastur law for the first layer, gives the error; the spike counts through the length of the teacher,
# $1/\Vert\Sigma\Vert$. At $\beta = 0$ it is exact in the limit. At $\beta = 0.74$, $\alpha = 1/2$, $\theta/n = 0.013$
# and $\eta/\sqrt{n} = 0.41$. It stops where the step is no longer small: at $\alpha = 1$ (lower left) networks of relu
# and tanh are better than it says.
#
# **Crosses and markers.** In every figure that replays a published draw, the networks' errors were read about half a
# pixel lower than the replay has them (0.5 of the usual reading error on average of 300 markers, at most 1.6): so the
# reading is off, not the draw. The readings have not been corrected for it.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.page import Page

page = Page.open("fig22", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
