# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A trained teacher, a static feature map, and concentration of the losses
#
# The last slides of Goldt et al. name two results of Loureiro et al. 2021 (arXiv 2102.08127): the proof that the losses of
# empirical risk minimisation concentrate at the values of the replica equations, and learning curves for a trained
# teacher and a static feature map.
#
# Panels (a) and (b): a two-layer network of erf units is trained on two classes of grey images. Its outputs are the labels
# of least squares on random features of the same images. Lines are the replica equations, for an infinite set of
# Gaussian features and for draws from a finite set. Points are simulations.
#
# Panel (c): features with a power law of eigenvalues. The standard deviation of training and test losses over draws of
# the samples falls like $d^{-1/2}$ with the number of features $d$, at two samples for each feature. Theorem 1 bounds the
# probability of a deviation $\epsilon$ by $C \epsilon^{-1} e^{-c n \epsilon^2}$, which allows this rate.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "image_network_replica"
parameters = {"problem.ridges": [0.01], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("static_features", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/gaussian_equivalence.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="test_loss")
