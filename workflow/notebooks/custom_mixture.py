# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A mixture of your own
#
# Means, labels, priors and noise come from `config/custom_mixture.yaml`. A two-layer network learns it by online SGD: in $N$
# dimensions, through its order parameters (the same distribution at a cost independent of $N$), and by the equations of motion
# ($N\to\infty$). Bottom: random features, the error of their best linear readout for a range of noise, and a readout
# that is trained online.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "custom_ode"
parameters = {"schedule.learning_rate": 0.2, "schedule.weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("custom_mixture", preset)

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
# `config/custom_mixture.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
