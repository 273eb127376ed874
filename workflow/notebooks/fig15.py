# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 15: training risk of ResNet-20
#
# Barboni et al. 2025, training of ResNet-20 on CIFAR-10. A network $f(x) = \sum_j u_j \phi_j(x) / M$ with $M = 64$ features
# minimises $\|f - y\|^2 / (2 \lambda) + \|u\|^2 / 2$, each norm a mean over its entries, $\lambda = 10^{-3}$, with images
# cropped and mirrored at random. VarPro sets $u$ half-way to the minimiser on each batch and follows the gradient with the
# convolutions alone; SGD (momentum 0.9) and Shampoo train all weights alike. The rate halves for the last epochs.
#
# The risk is a mean over one epoch of batches, so its first point is the first epoch. Circles: the published curves.
#
# The quick preset trains for a few epochs on the 1,000 images that come with this project. Only the order of the optimizers
# in the first epoch can be compared with the published one.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "resnet_sgd_batch_size128"
parameters = {"learning_rate": 0.064, "momentum": 0.9}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig15", preset)

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
# `config/varpro.yaml`.

# %%
page.compare(run, parameters, curve="risk")
