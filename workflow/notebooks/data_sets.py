# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Three data sets that Gaussian theory explains, and one that it does not
#
# Random features of your data, or of digits where you gave none, and of three sets of images. Marks are measured on
# held-out samples, lines are the replica equations with the measured moments. Bottom: the change of the logistic test
# loss from one surrogate to the next, and what too few samples do to the moments. The title tells by how much the
# logistic loss exceeds theory.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "mnist_replica"
parameters = {"problem.ridges": [0.1], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("data_sets", preset)

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
page.compare(run, parameters, curve="test_loss")
