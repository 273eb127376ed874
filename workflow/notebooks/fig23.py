# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 23: alignment, mixture ratio and rank
#
# Demir and Dogan 2025, Figure 2, at $\beta = 0.74$, $\alpha = 1/2$, $k = m = n$. Left: the spikes of the two components
# at an angle. Top right: classification of the components, which differ in nothing but the direction of their spike; the
# features of tanh are odd and cannot tell centred components apart, so that tanh stays above the error 1/2 of no
# answer. Bottom left: several spikes whose sizes are uniform between 0 and $\theta$. Bottom right: how often the networks of
# the top right miss a class. Its theory (black) averages over the inputs' components along the spikes and the step, given
# which the output is normal.
#
# Left, the paper draws data afresh for every trial, and these runs are its own, random numbers included. In
# the right column, data are fresh for every trial as in figure 22, and crosses replay the paper's single draw. The degree is
# 3, not the 4 of the caption, and the rank has 100 trials, not 20. Error bars are standard errors; with one spike of
# random size, $d = 1$, single trials differ by 80 percent.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "ratio"
parameters = {"data.alpha": 0.5, "data.beta": 0.74, "ridge": 0.0001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig23", preset)

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
