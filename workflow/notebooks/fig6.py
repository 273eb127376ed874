# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 6: over-parametrisation
#
# Refinetti et al. 2021, Figure 6. Networks with $K$ hidden units learn the XOR mixture from small random initial
# weights. Left: class error against time, over runs with different initial weights and data. Right: the fraction of
# runs that end below a class error of 0.05. The Bayes error is 0.0016, and a network that misses one of the four
# clusters has an error of about 0.15.
#
# Four units are enough to solve the task, yet few runs with $K = 4$ find the solution. With more units it is more
# likely that one of them starts close to each cluster. The animation `fig6.gif` shows the weights of one network with
# $K = 8$ in the plane of the means, coloured by the sign of $v_k$. `page.animate("fig6")` makes it, in a minute.
#
# The thin black lines are trainings with the length of the authors' command: $5\times 10^8$ steps in 1000 dimensions
# at the paper preset.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "overparametrised_hidden_units4"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig6", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/mixtures.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
