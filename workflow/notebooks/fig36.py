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
# Goldt et al. 2021. The figure has the setting of figures 33 to 35, with a real NVP as generator. It is a bijection,
# so that its latents have as many dimensions as its inputs, $\delta = D / N = 1$. Top: a flow of dense couplings with
# random weights. Bottom: a flow of convolutions at two resolutions, trained by maximum likelihood on the images that
# the title names.
#
# The inputs of the trained flow vary in few directions: the eigenvalues of $\Omega$ are equivalent to 16 equal
# eigenvalues. In a run, $R$ and $Q$ are therefore noisier than with the random flow. A few runs can leave the
# equations by chance.
#
# SGD on images ends earlier than SGD on the Gaussian equivalent, at the dotted line, because images cost more than
# Gaussian inputs.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "dense_flow_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig36", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/gaussian_equivalence.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
