# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # One giant step on isotropic inputs
#
# A network f(x) = w . phi(F x) / sqrt k of k units sees isotropic Gaussian inputs in n dimensions. The labels are
# t(theta . x). The first layer takes one gradient step of size eta = e k on m0 = alpha0 n samples, with equal weights
# w = 1 / sqrt k. Ridge regression then fits the second layer to m new samples.
#
# The step adds a spike to the first layer: each row moves by e h1 G along one direction v, with h1 = E phi'(z) and
#
# G^2 = t1^2 + r2 / alpha0, t1 = E[r s], r2 = E[r^2],
#
# for the residual r and the pre-activation s = theta . x of the teacher. The overlap of v and theta is t1 / G. The
# rest of the step is random: the mean squared length of a row orthogonal to v becomes c^2 = 1 + e^2 r2 E (phi' -
# h1)^2 / alpha0.
#
# Let kappa = v . x be the component of the inputs along v. Given kappa, features have the mean mu = E phi(u kappa + c
# xi), the slope a = E[xi phi] / c along the other inputs, and an independent rest. One theory uses all rows of a
# drawn first layer. The other is the limit of large dimension. It replaces the products of rows by the resolvent of
# the matrix after the step. It differs from the published limit, in which the rest of the step is independent of its
# samples.
#
# For small steps the error does not approach the error without a step (star): in large dimensions any e > 0 reveals
# v.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "few_limit"
parameters = {"data.label_noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("giant_step", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/giant_step.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="theory")
