# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 36: learning from normalising flows
#
# Goldt et al. 2021. As figures 33 to 35, with a real NVP as generator, a bijection: its latents have as many dimensions
# as its inputs, $\delta = D / N = 1$. Above, a flow of dense couplings with random weights; below, a flow of
# convolutions on two presets that was trained by maximum likelihood on the images that the title names.
#
# The inputs of the trained flow vary in few directions: the eigenvalues of $\Omega$ amount to 16 equal ones. So $R$ and $Q$
# of a run are far noisier than with the random flow, and a few runs can leave the equations by chance.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "dense_flow_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig36", preset)

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
# `config/gaussian_equivalence.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
