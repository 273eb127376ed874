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
# # Figure 33: learning from random sign networks
#
# Goldt et al. 2021. Inputs $x = \mathcal{G}(c)$ come from a random network of sign units with a normal latent $c$ of
# $D$ dimensions; a teacher of $M = 2$ erf units sees the latent, $y = \sum_m A_m g(B_m \cdot c / \sqrt D)$, and a
# student of $K = 2$ units the input, $\sum_k v_k g(w_k \cdot x / \sqrt N)$. It learns by online SGD, a fresh input each
# step, at rate 0.2 in the first layer and $0.2 / N$ a step in the second.
#
# **Lines** are the equations of motion, which know of the generator only $\Omega = \mathrm{E}\,x x^T$ and $\Phi =
# \mathrm{E}\,x c^T$: the local fields are taken to be Gaussian. **Points** are the mean and the standard deviation of
# runs from the same initial weights. Blue is the error that Gaussian fields with the order parameters $Q$, $R$ of the
# run would give, yellow the error on fresh inputs.
#
# Left, one layer: $\Omega$ and $\Phi$ are exact, by the arcsine law. Right, four layers: they are estimated from
# samples, as the recursion of the paper is exact only for wide layers.
#
# **What the modes do.** Along each eigenvector of $\Omega$ the densities of $Q$ and $R$ obey an equation of their own,
# and all are coupled through the order parameters. They depend on the eigenvalue as an entire function, so 32 Chebyshev
# nodes stand for all $N$ modes; the verdict compares with twice as many.
#
# **At the paper's scale**, up to $t = 10^4$, the two units of the one-layer student specialise after $t \approx 500$: each
# follows a unit of the teacher. With four layers the error is nearly flat from $t = 10^3$ on; there $Q$ leaves the lines by
# up to half, while the error stays within 0.2 %.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.page import Page

page = Page.open("fig33", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
