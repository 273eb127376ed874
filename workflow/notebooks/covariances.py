# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
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
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "covariances_erf_curve"
parameters = {"schedule.learning_rate": 0.5, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("covariances", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The new curve next to the curve of the workflow. Nothing is written. All runs and their parameters are in
# `config/mixtures.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
