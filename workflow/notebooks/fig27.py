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
# Demir and Dogan 2025, Figure 6: half the mean square on the training set plus the ridge penalty $\lambda\Vert
# w\Vert^2/2$, for the networks and Hermite models of figure 22. Crosses replay the paper's single draw of the data (at
# the paper preset). The black curve is the conditional equivalent of figure 22, the grey one the theory of
# frozen features, whose check result is at $\beta = 0$, where it is exact in the limit.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "width"
parameters = {"data.alpha": 0.5, "data.beta": 0.74, "ridge": 0.0001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig27", preset)

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
# `config/one_step.yaml`.

# %%
page.compare(run, parameters, curve="network_training")
