# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What would your generator do?
#
# A student learns from what a generator gives, a teacher sees its latents: SGD on its inputs, on Gaussian inputs with the
# same moments, and the equations of motion. Below, regression on random features of its inputs against the replica
# equations, and how far pre-activations are from Gaussian ones.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "generator_equivalent"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_generator", preset)

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
# `config/custom_generator.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
