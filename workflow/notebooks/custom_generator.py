# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Gaussian equivalence of your generator
#
# The generator comes from `config/custom_generator.yaml`. A student learns from the outputs of the generator, and its
# teacher sees the latents. The top row compares SGD on these outputs, SGD on Gaussian inputs with the same moments,
# and the equations of motion.
#
# Bottom: regression on random features of the outputs against the replica equations. On the right are the distances
# of the pre-activations from a Gaussian distribution.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "generator_equivalent"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_generator", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/custom_generator.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
