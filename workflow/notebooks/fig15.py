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
# Barboni et al. 2025, training of ResNet-20 on CIFAR-10. A network $f(x) = \sum_j u_j \phi_j(x) / M$ with $M = 64$
# features minimises $\|f - y\|^2 / (2 \lambda) + \|u\|^2 / 2$ with $\lambda = 10^{-3}$. Each norm is a mean over its
# entries. Images are cropped and mirrored at random. On each batch, variable projection (VarPro) moves $u$ half-way
# to its minimiser, and then takes a gradient step in the convolutions. SGD with momentum 0.9 and Shampoo train all
# weights in the same way. The learning rate halves for the last epochs.
#
# The risk is a mean over the batches of an epoch, so that the first point belongs to the first epoch. Circles are the
# published curves.
#
# The trainings that come with the project used a copy of CIFAR-10 that had been compressed as JPEG, with quality 75
# and with colours at half the resolution. The copy lacks details, so that risks are larger and accuracies smaller than
# the published ones, and the checks of the published curves fail. The setting `generators: trained` trains on the images
# of the data root.
#
# The paper has five batch sizes. At the paper preset this figure has batches of 256, since each training takes about
# five hours without a GPU. The page of all figures (`docs/reference/figures.md`) explains how to add the others.
#
# The quick preset trains for a few epochs on the 1,000 images that come with this project. With so few images only
# the order of the optimizers in the first epoch can be compared with the paper.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "resnet_sgd_batch_size128"
parameters = {"learning_rate": 0.064, "momentum": 0.9}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig15", preset)

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
