# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 3: learning curves on mixtures with arbitrary covariance
#
# Refinetti et al. 2021, Figure 3. Inputs $x = m_a + \Omega^{1/2} n$ in cluster $a$, with one covariance $\Omega$ for all
# clusters: random, or the average over the ten classes of MNIST or Fashion-MNIST, whose means are the $m_a$.
#
# In the eigenbasis of $\Omega$ (eigenvalues $\rho_\tau$) the weights have a mean $W_{k\tau}$ and a fluctuation
# $Z_{kl\tau}$ around it, both of which the equations of motion determine:
# $$\dot W_{k\tau} = \eta\Big[\sqrt N\sum_a p_a \mathbb E_a[u_k]\, m_{a\tau} + \rho_\tau\sum_j \bar c_{kj}W_{j\tau}\Big] - \eta\gamma W_{k\tau},$$
# $$\dot Z_\tau = \eta\rho_\tau(\bar c Z_\tau + Z_\tau\bar c^T) + \eta^2\sum_a p_a\mathbb E_a[uu^T](\rho_\tau + m_{a\tau}^2) - 2\eta\gamma Z_\tau.$$
# The densities of the paper are $q_{kl} = W_kW_l + Z_{kl}$ and $r_{ak} = \sqrt N m_a W_k$.
#
# Left and middle: lines are the equations, points the mean and standard deviation of simulations that start from the same
# weights and see different data. Right: the equations against the mean of the simulations.
#
# **Where we differ.** The paper's equations leave out the squared mean $m_{a\tau}^2$ in the gradient noise. For images it
# is not small, and the published form (dotted) ends below the simulation. The check result tests the complete one.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "ode_random"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig3", preset)

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
