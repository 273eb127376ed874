# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 16: test accuracy of ResNet-20
#
# Barboni et al. 2025, training of ResNet-20 on CIFAR-10. The trainings are the same as in figure 15. The figure shows
# the accuracy on the 10,000 test images before the training and after each epoch. With variable projection (VarPro)
# the accuracy changes abruptly from one epoch to the next, because the outer weights fit the last batches. The
# published curves (circles) show the same changes.
#
# The trainings that come with the project used a copy of CIFAR-10 that had been compressed as JPEG, so that the
# accuracies are smaller than the published ones, and the checks of the published curves fail, as in figure 15. The
# setting `generators: trained` trains on the images of the data root.
#
# The paper has five batch sizes. At the paper preset this figure has batches of 256, since each training takes about
# five hours without a GPU. The page of all figures (`docs/reference/figures.md`) explains how to add the others.
#
# The quick preset has 200 test images, and trains for a few epochs on 1,000 images. Its accuracy is little better
# than 0.1, the accuracy of chance.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "resnet_sgd_batch_size128"
parameters = {"learning_rate": 0.064, "momentum": 0.9}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig16", preset)

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
page.compare(run, parameters, curve="accuracy")
