# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Parts of the authors' code that no figure shows
#
# The repository of Barboni, Peyré and Vialard 2025 has commands and programs whose results are in no figure of the paper.
#
# Panel (a): two-timescale descent with the entropy $u \log u - u + 1$ instead of $(u - 1)^2 / 2$. The outer weights are
# $\lambda / \tau$ times as fast as the features, with $\tau = 2^{-10}$. At the largest ridge the risk follows the mean-field
# flow (dotted). Panel (b): variable projection with the ridges of the README. All published curves have the ridge
# $10^{-4}$. Panel (c): the output of a teacher of infinitely many features, against the angle of the input. Panel (d): the
# first epochs of ResNet on CIFAR-10 without momentum, for variable projection and for SGD. The quick preset has eight
# layers and a part of the images.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "circle_gamma10_readme"
parameters = {"samples": 4096, "ridge": 0.1}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("readme", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/varpro.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="risk")
