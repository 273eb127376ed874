# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 7: where learning ends
#
# Refinetti et al. 2021, Figure 7. Fixed points of the order-parameter equations for the XOR mixture, relu, $K = 4$, against
# the noise. Left: learning rates at weight decay 0.01. Right: weight decays at learning rate 0.1. Points are time averages
# of simulations, by SGD in order parameters: they start with all weights 10 % larger, and count from when the slowest
# mode (500 to 5,000 time units) has forgotten that. A simulation that starts at the fixed point says nothing for so long.
#
# Both a larger learning rate and a larger weight decay cost accuracy. Where the noise is strong, weight decay wins over the
# signal, and the only stable state is the network that has forgotten everything. These are solutions of the full system; the
# reduced one of the paper ($v_k = |R_k|$, $Q = R^TR$) holds only as the learning rate vanishes.
#
# The cross is the mean over the second half of a training that is as long as the authors' command, $5\times 10^8$ steps in
# 1000 dimensions at the paper preset, from one unit for each cluster.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "asymptotics_rate_learning_rate0.1"
parameters = {"learning_rate": 0.1, "weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig7", preset)

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
