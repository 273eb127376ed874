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
# A network f(x) = w . phi(F x) / sqrt k of k units sees isotropic Gaussian inputs in n dimensions and labels t(theta . x). Its
# first layer takes one gradient step of size eta = e k on m0 = alpha0 n samples, with equal weights w = 1 / sqrt k. Ridge
# regression then fits the second layer to m fresh samples.
#
# The step adds a spike to the first layer: each row moves by e h1 G along one direction v, with h1 = E phi'(z) and
#
# G^2 = t1^2 + r2 / alpha0, t1 = E[r s], r2 = E[r^2],
#
# for the residual r and the teacher's field s = theta . x. The overlap of v and theta is t1 / G. The rest of the step is random:
# the mean squared length of a row across v becomes c^2 = 1 + e^2 r2 E (phi' - h1)^2 / alpha0.
#
# Given the component kappa = v . x of the inputs, features have the mean mu = E phi(u kappa + c xi), the slope
# a = E[xi phi] / c along the other inputs, and an independent rest. The theory of a drawn first layer takes all rows as they
# are. The limit of large dimension replaces the products of rows by the resolvent of the matrix that the step leaves.
# It differs from the published limit, in which the rest of the step is independent of its samples.
#
# The limit of small steps is not the error without a step (star): in large dimensions any e > 0 reveals v.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "few_limit"
parameters = {"data.label_noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("giant_step", preset)

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
# `config/giant_step.yaml`.

# %%
page.compare(run, parameters, curve="theory")
