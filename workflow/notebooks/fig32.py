# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 32: the Gaussian equivalence and its limits
#
# This figure illustrates the theorem of Goldt et al. 2021 and is not in the paper. A student sees inputs
# $x = \mathrm{sign}(F c)$ through the pre-activations $\lambda = W x / \sqrt N$. A teacher sees the Gaussian latent
# $c$ through $\nu = B c / \sqrt D$. The theorem states when $(\lambda, \nu)$ is nearly Gaussian, with the covariance
# of the arcsine formula.
#
# Each point averages over random directions in the space of the pre-activations. Left: the Wasserstein distance of
# the pre-activation along such a direction from the normal distribution, in units of its predicted standard
# deviation. Right: its excess kurtosis. Error bars are standard errors over draws of all weights. The dotted line is
# the distance of a sample of the same size from the Gaussian distribution itself.
#
# For generic weights and $D = N / 2$ the kurtosis falls like $1 / N$, faster than the rate $N^{-1/2}$ of the theorem.
# It does not fall in three cases: with only four latents, with student units that see one input each, and with a
# generator whose rows share a direction. In the second case the pre-activations are $\pm 1$. In the last case the
# deviation is largest if the student sums over the shared direction. The predicted covariance is right in all cases,
# and only the shape of the distribution is not Gaussian. The bound of the theorem is not shown.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "equivalence"
parameters = {"hidden_units": 2}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig32", preset)

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
page.compare(run, parameters, curve="distance")
