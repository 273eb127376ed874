# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 2: learning curves with identity covariance
#
# Refinetti et al. 2021, Figure 2. A relu network with $K = 4$ hidden units learns the XOR mixture at
# $\sigma^2 = 0.05$. The learning rate is 0.1 and the weight decay 0.01. The figure compares three computations from
# the same initial weights:
#
# * **SGD in $N$ dimensions** sees one new input in each step.
# * **SGD in order parameters** simulates $Q_{kl} = w_k\cdot w_l/N$, $R$ and $v$ only. Outside the plane of the means
#   all directions are alike. The order parameters therefore form a Markov chain, with exactly the distribution that
#   they have in $N$ dimensions. A step costs the same at any $N$.
# * **The equations of motion** are the limit $N\to\infty$.
#
# Right: the mean pre-activation $M_{ak}$ of each hidden unit in two of the clusters, at $N = 20\,000$. Points are the
# mean over runs of SGD in order parameters, lines the equations.
#
# **Differences at small $N$.** Runs leave the plateau at different times. From then on, the average over runs at
# small $N$ differs from the solution of the equations. Before, and at $N = 20\,000$ at all times, the difference is
# within the statistical error. The check averages over times. At the paper preset it detects a deviation of
# 0.24 %, or a time scale that is wrong by 5 %.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "xor_ode"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig2", preset)

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
