# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Commands of the authors' code
#
# The README of the code of Refinetti et al. 2021 has one command for each program. The parameters of most commands are
# in other figures. This figure has the other ones.
#
# Panels (a) and (b): equations for any covariance, with five clusters for each class, erf units, and no weight decay,
# for a mixture with the moments of digits. Points are SGD, with mean and standard deviation over the runs. At the
# preset `paper` the length is the length of the command, a million steps.
#
# Panel (c): the equations of relu units need averages over their pre-activations. The authors average over 10,000 random
# samples, and call this number sufficient. Here the averages use rays through Sobol points. The panel shows the largest
# relative deviation of the errors from the errors with the largest number of points.
#
# The last check computes the fixed point of the command for XOR: variance 1 and the smallest weight decay.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "ode_mnist_command"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("commands", preset)

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
