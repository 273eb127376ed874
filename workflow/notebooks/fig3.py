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
# Refinetti et al. 2021, Figure 3. Inputs of cluster $a$ are $x = m_a + \Omega^{1/2} n$, with one covariance $\Omega$
# for all clusters. It is random, or the average over the ten classes of MNIST or Fashion-MNIST. Then the $m_a$ are
# the means of the classes.
#
# Along each eigenvector of $\Omega$, with eigenvalue $\rho_\tau$, the weights have a mean $W_{k\tau}$ and
# fluctuations with covariance $Z_{kl\tau}$. The equations of motion determine both:
# $$\dot W_{k\tau} = \eta\Big[\sqrt N\sum_a p_a \mathbb E_a[u_k]\, m_{a\tau} + \rho_\tau\sum_j \bar c_{kj}W_{j\tau}\Big] - \eta\gamma W_{k\tau},$$
# $$\dot Z_\tau = \eta\rho_\tau(\bar c Z_\tau + Z_\tau\bar c^T) + \eta^2\sum_a p_a\mathbb E_a[uu^T](\rho_\tau + m_{a\tau}^2) - 2\eta\gamma Z_\tau.$$
# The densities of the paper are $q_{kl} = W_kW_l + Z_{kl}$ and $r_{ak} = \sqrt N m_a W_k$.
#
# Left and middle: lines are the equations. Points are the mean and standard deviation of simulations with the same
# initial weights and different data. Right: the equations against the mean of the simulations.
#
# **Difference from the paper.** The equations of the paper omit the squared mean $m_{a\tau}^2$ in the gradient noise.
# For images it is not small, and the published equations (dotted) end below the simulation. The check tests the
# complete equations.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "ode_random"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig3", preset)

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
