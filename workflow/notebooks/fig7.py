# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 7: the end of learning
#
# Refinetti et al. 2021, Figure 7. The figure shows fixed points of the order-parameter equations for the XOR mixture,
# relu, $K = 4$, against the noise. Left: several learning rates at weight decay 0.01. Right: several weight decays at
# learning rate 0.1. Points are time averages of SGD in order parameters. The runs start with weights that are 10 %
# larger than at the fixed point. The averages begin when the slowest mode (500 to 5,000 time units) has decayed. A
# run that starts at the fixed point would agree with it at first, even if it is wrong.
#
# A larger learning rate and a larger weight decay both increase the error. At strong noise weight decay exceeds the
# signal, and the only stable state is the network without weights. All curves are solutions of the full equations.
# The reduced equations of the paper ($v_k = |R_k|$, $Q = R^TR$) hold only for a vanishing learning rate.
#
# The cross is the mean over the second half of a long training. It has the length of the authors' command,
# $5\times 10^8$ steps in 1000 dimensions at the paper preset, and starts with one unit for each cluster.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "asymptotics_rate_learning_rate0.1"
parameters = {"learning_rate": 0.1, "weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig7", preset)

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
page.compare(run, parameters, curve="class_error")
