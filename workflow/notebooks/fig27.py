# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 27: training error against the width
#
# Demir and Dogan 2025, Figure 6. The figure shows half the mean squared error on the training set plus the penalty
# $\lambda\Vert w\Vert^2/2$, for the networks and Hermite models of figure 22. At the paper preset, crosses repeat the
# single draw of the data in the paper. The black curve is the conditional equivalent of figure 22. The grey curve is
# the theory of frozen features. It is exact in the limit at $\beta = 0$, and its check uses this value.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "width"
parameters = {"data.alpha": 0.5, "data.beta": 0.74, "ridge": 0.0001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig27", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/one_step.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="network_training")
