# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Phase diagrams of online learning
#
# Maps of networks that learn the XOR mixture, by the chain of their order parameters. Top: rate of success and class error
# against the number of hidden units and the learning rate, from random initial weights. Bottom: how long a network with a
# kept second layer stays on the plateau on which it has not found the means, against noise and learning rate; the black
# line is where the plateau becomes stable in theory, and each mark of the last panel a cell of the map.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "width_rate_hidden_units4"
parameters = {"schedule.weight_decay": 0.01, "sigma": 0.2236068}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("phases", preset)

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
# `config/phases.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
