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
# Refinetti et al. 2021 train the readout of random features by the same SGD as their networks. With features $z$, $f = w \cdot z /
# \sqrt F$ and the learning rate $\eta$, a step adds $\eta\, (y - f)\, z / \sqrt F$ to the weights. With $M = E[z z^T]$ and
# $\beta = E[y z]$, their mean obeys
#
# $$m \leftarrow m + \frac{\eta}{\sqrt F} (\beta - M m / \sqrt F),$$
#
# exactly. The mean squares along the eigenvectors of $M$ obey linear equations as well. Points are SGD on inputs, with mean and
# standard deviation over the runs. Lines are the equations, which go on after the end of SGD (vertical line). Dashed: the readout
# whose weights are averaged over the runs. Dotted: the best readout, which a constant learning rate does not reach.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "readout_isotropic_curve"
parameters = {"schedule.learning_rate": 0.2, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("readout_sgd", preset)

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
# `config/mixtures.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
