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
# The samples come from `config/custom_data.yaml`. Top: regression and support vector machines on them, against the replica
# equations with their measured moments, for one Gaussian a label; and what each part of their distribution changes in the test
# loss, from surrogates that have some of it. Bottom: online SGD of a two-layer network on the samples, on Gaussians with
# their moments, and by the equations of motion; and how far the pre-activations of that network are from Gaussian ones.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "custom_curve"
parameters = {"schedule.learning_rate": 0.5, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_data", preset)

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
# `config/custom_data.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
