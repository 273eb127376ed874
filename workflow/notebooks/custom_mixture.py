# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A mixture of your own
#
# Means, labels, class probabilities and noise come from `config/custom_mixture.yaml`. A two-layer network learns the
# mixture by online SGD. Three computations describe its learning curve: SGD in $N$ dimensions, SGD in order
# parameters, and the equations of motion for $N\to\infty$. SGD in order parameters has the same distribution as SGD
# in $N$ dimensions, at a cost that does not depend on $N$.
#
# Bottom: the error of the best linear readout of random features against the noise, and of a readout that is trained
# online.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "custom_ode"
parameters = {"schedule.learning_rate": 0.2, "schedule.weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_mixture", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/custom_mixture.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
