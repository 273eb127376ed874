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
# Refinetti et al. 2021, Figure 2. The XOR mixture at $\sigma^2 = 0.05$, a relu network with $K = 4$ hidden units, learning
# rate 0.1, weight decay 0.01. Three descriptions of the same learning, from the same initial weights:
#
# * **$N$ dimensions**: online SGD, one fresh input a step.
# * **Order parameters**: the chain of $Q_{kl} = w_k\cdot w_l/N$, $R$ and $v$. Outside the plane of the means all directions
#   are alike, so these numbers obey a Markov chain of their own, with exactly the distribution that they have in $N$ dimensions. A
#   step costs the same at any $N$.
# * **Equations** of motion, the limit $N\to\infty$.
#
# Right: the mean pre-activation $M_{ak}$ of each hidden unit in two of the clusters, at $N = 20\,000$; points are the mean over
# runs of the chain, lines the equations.
#
# **Where they part.** Runs leave the plateau at different times, so that the average over runs at small $N$ is not the
# solution of the equations from then on. Before, and at $N = 20\,000$ throughout, the difference is within the statistical
# error, which the check result tests: averaged over times, it would notice an error of 0.1 % or a clock that is 15 % slow.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "xor_ode"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig2", preset)

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
