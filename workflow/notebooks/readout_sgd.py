# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Online training of the readout of random features
#
# Refinetti et al. 2021 train the readout of random features by the same SGD as their networks. With features $z$,
# output $f = w \cdot z / \sqrt F$ and learning rate $\eta$, a step adds $\eta\, (y - f)\, z / \sqrt F$ to the
# weights. With $M = E[z z^T]$ and $\beta = E[y z]$, the mean $m$ of the weights exactly obeys
#
# $$m \leftarrow m + \frac{\eta}{\sqrt F} (\beta - M m / \sqrt F).$$
#
# The mean squares along the eigenvectors of $M$ obey linear equations as well. Points are SGD on inputs, with mean
# and standard deviation over the runs. Solid lines are the equations, which continue beyond the end of SGD (vertical
# line). Dashed lines are the readout whose weights are averaged over the runs. Dotted lines are the best readout,
# which a constant learning rate does not reach.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "readout_isotropic_curve"
parameters = {"schedule.learning_rate": 0.2, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("readout_sgd", preset)

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
