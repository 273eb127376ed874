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
# # A covariance for each cluster
#
# Refinetti et al. 2021 give all clusters of figure 3 the same covariance. Their code can also draw a covariance $\Omega_a$ for each
# cluster. These covariances do not commute, so that the equations of the paper, in a common eigenbasis, do not apply.
#
# The equations here describe the mean $\bar W$ of the weights and the covariances $G_{kl}$ of their fluctuations:
#
# $$\dot{\bar W} = \eta \sum_a p_a \left( \langle u \rangle_a \mu_a^T + c^a \bar W \Omega_a \right) - \eta \kappa \bar W,$$
#
# $$\dot G_{kl} = \eta \sum_a p_a \sum_j c^a_{kj} \Omega_a G_{jl} + (k \leftrightarrow l)^T + \eta^2 \sum_a p_a \langle u_k u_l
# \rangle_a (\Omega_a + \mu_a \mu_a^T / N) - 2 \eta \kappa G_{kl},$$
#
# where $u$ is the signal that reaches the hidden units and $c^a_{kj} = \langle \partial u_k / \partial \lambda_j \rangle_a$. Points are
# SGD, with mean and standard deviation over the runs.

# %% tags=["parameters"]
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("covariances", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
