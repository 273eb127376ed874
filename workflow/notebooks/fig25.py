# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 25: error over both exponents, and failure of a linear model
#
# Demir and Dogan 2025, Figure 4. Top: error of the ReLU network. The axis $\beta$ is the strength of spikes and step
# together. The axis $\alpha$ divides it: spikes only at $\alpha = 0$, step only at $\alpha = 1$. The teacher is
# aligned with the spikes. Bottom: relative difference between the Hermite model of degree one and the network, on a
# logarithmic scale from 4 to 100 percent.
#
# The first column is simulation. The second column is theory: the conditional equivalent of figure 22, for the
# network and for the linear model. Its map of the difference has no statistical noise. At the paper preset a third
# column has the published maps.
#
# The linear model fails for strong spikes, at small $\alpha$ and large $\beta$. Elsewhere the lower left panel shows
# a few percent, the noise of the trials. Each trial has new data, which both models share. The paper compares means
# over different draws. The published map of the linear model is a reference if it shows between 4 and 100 percent.
# Black regions mean at most 4 percent, and the check allows three standard errors of one percent each. White regions
# of the third column could not be read.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "exponents"
parameters = {"ridge": 0.0001, "data.label_noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig25", preset)

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
page.compare(run, parameters, curve="network")
