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
# The maps show networks that learn the XOR mixture, by SGD in order parameters. Top: fraction of successful runs and
# class error, against the number of hidden units and the learning rate, from random initial weights. Bottom: the time
# that a network with a fixed second layer spends on the plateau, against noise and learning rate. On the plateau it
# does not distinguish the clusters. In theory the plateau is stable beyond the black line. Each mark of the last
# panel is a cell of the map.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "width_rate_hidden_units4"
parameters = {"schedule.weight_decay": 0.01, "sigma": 0.2236068}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("phases", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/phases.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
