# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 25: error over both exponents, and where a linear model fails
#
# Demir and Dogan 2025, Figure 4. Above: error of the ReLU network against how strong spikes and step are ($\beta$) and
# how this is split between them ($\alpha = 0$: all spikes, $\alpha = 1$: all step). The teacher is aligned with the
# spikes. Below: how far the Hermite model of degree one is from the network, on a logarithmic scale from 4 to 100
# percent.
#
# The second column is theory (a third, at the paper preset, has the published maps): the conditional equivalent of figure 22, of the network and of the linear model, without a
# simulation of either. Its map of the deviation has no noise of trials.
#
# The linear model fails where the spikes are strong, at small $\alpha$ and large $\beta$. Elsewhere the lower left panel
# shows the noise of the trials: a few percent. Data are fresh for every trial, and both models see the same; the paper
# compares means of different draws. Its map of the linear model is a target where it shows between 4 and 100 percent;
# where it is black, at most 4, the check result allows three standard errors of a percent each (white in the third column,
# which has what could be read).

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "exponents"
parameters = {"ridge": 0.0001, "data.label_noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig25", preset)

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
page.compare(run, parameters, curve="network")
