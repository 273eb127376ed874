# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Is your data Gaussian enough?
#
# The samples come from `config/custom_data.yaml`. The lines of the top row are the replica equations with the
# measured moments, for one Gaussian per label. The marks are regression and support vector machines on the samples.
# The bars show how each part of the distribution changes the test loss. They compare surrogates of the data that keep
# some of these parts.
#
# Bottom: online SGD of a two-layer network on the samples, on Gaussians with their moments, and by the equations of
# motion. On the right are the distances of the pre-activations of this network from a Gaussian distribution.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "custom_curve"
parameters = {"schedule.learning_rate": 0.5, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_data", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/custom_data.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
