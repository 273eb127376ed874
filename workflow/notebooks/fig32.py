# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 32: the Gaussian equivalence, and where it ends
#
# An illustration of our own for the theorem of Goldt et al. 2021. A student sees inputs $x = \mathrm{sign}(F c)$ through the
# pre-activations $\lambda = W x / \sqrt N$, a teacher the Gaussian latent $c$ through $\nu = B c / \sqrt D$. The theorem says
# when $(\lambda, \nu)$ is nearly Gaussian, with the covariance that the arcsine law predicts. Each point averages over random
# directions in the space of the fields: the Wasserstein distance of the field along it, in units of its predicted standard
# deviation, from the normal distribution (left) and its excess kurtosis (right), with standard errors over draws of all weights. The
# dotted line is what as many samples of the Gaussian distribution itself have.
#
# For generic weights and $D = N / 2$ the kurtosis falls like $1 / N$, at least as fast as the theorem's $N^{-1/2}$. It does
# not fall with only four latents; nor for student units that see one input each, whose fields are $\pm 1$; nor for a
# generator whose rows share a direction, least of all with a student that sums up what they share. In all cases the predicted
# covariance is right: it is the shape that is not Gaussian. The theorem's bound itself is not shown.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "equivalence"
parameters = {"hidden_units": 2}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig32", preset)

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
# `config/gaussian_equivalence.yaml`.

# %%
page.compare(run, parameters, curve="distance")
