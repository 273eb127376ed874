# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Four data sets and the Gaussian theory
#
# The figure uses random features of four data sets: your data (digits, if you gave none), MNIST, Fashion-MNIST and
# CIFAR-10. Marks are measured on test samples. Lines are the replica equations with the measured moments. The title
# of a panel states by how much the logistic loss exceeds the theory. The theory describes all of these images except
# Fashion-MNIST.
#
# Bottom: the change of the logistic test loss from one surrogate to the next, and the error of moments that are
# measured on few samples.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "mnist_replica"
parameters = {"problem.ridges": [0.1], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("data_sets", preset)

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
page.compare(run, parameters, curve="test_loss")
