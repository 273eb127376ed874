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
# # Figure 1: the XOR mixture, where random features fail and a two-layer network succeeds
#
# Refinetti et al. 2021, Figure 1. Four Gaussian clusters at $\pm e_1$ (label $-1$) and $\pm e_2$ (label $+1$), each with
# noise $\sigma$ in every one of the $N$ directions. No linear classifier does better than chance.
#
# * **Two-layer network** $f(x) = \sum_k v_k\, g(w_k\cdot x/\sqrt N)$, relu, $K = 4$, online SGD. Its order parameters
#   $Q_{kl} = w_k\cdot w_l/N$, $R_{pk}$ (coordinates of $w_k/\sqrt N$ in the plane of the means) and $v_k$ obey
#   $$\dot R_{pk} = \eta\,\mathbb E[u_k x_p] - \eta\gamma R_{pk},\qquad \dot v_k = \eta\,\mathbb E[e\,g(\lambda_k)] - \eta\gamma v_k,$$
#   $$\dot Q_{kl} = \eta\,\mathbb E[u_k\lambda_l + u_l\lambda_k] + \eta^2\sigma^2\,\mathbb E[u_k u_l] - 2\eta\gamma Q_{kl},$$
#   with the error $e = y - f$ and $u_k = v_k g'(\lambda_k) e$. The curve is the stable fixed point of the full system.
# * **Random features** $z_i = \mathrm{relu}(P_i\cdot x/\sqrt N)$ with the best linear readout, from the closed form of the
#   features' moments. The paper does not state $N$ and $F$; those in the legend come close to the printed curve.
# * **Oracle** $2q(1-q)$ with $q = \Phi(1/(\sigma\sqrt 2))$.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.page import Page

page = Page.open("fig1", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
