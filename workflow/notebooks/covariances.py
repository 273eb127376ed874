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
# In figure 3 of Refinetti et al. 2021 all clusters have the same covariance. Their code can also draw a covariance
# $\Omega_a$ for each cluster. These covariances do not commute. The equations of the paper use a common eigenbasis,
# and do not apply.
#
# The equations here describe the mean $\bar W$ of the weights and the covariances $G_{kl}$ of their fluctuations:
#
# $$\dot{\bar W} = \eta \sum_a p_a \left( \langle u \rangle_a \mu_a^T + c^a \bar W \Omega_a \right) - \eta \kappa \bar W,$$
#
# $$\dot G_{kl} = \eta \sum_a p_a \sum_j c^a_{kj} \Omega_a G_{jl} + (k \leftrightarrow l)^T + \eta^2 \sum_a p_a \langle u_k u_l
# \rangle_a (\Omega_a + \mu_a \mu_a^T / N) - 2 \eta \kappa G_{kl},$$
#
# where $\kappa$ is the weight decay, $u$ is the signal that reaches the hidden units, and
# $c^a_{kj} = \langle \partial u_k / \partial \lambda_j \rangle_a$. Points are SGD, with mean and standard deviation
# over the runs.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "covariances_erf_curve"
parameters = {"schedule.learning_rate": 0.5, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("covariances", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/mixtures.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
