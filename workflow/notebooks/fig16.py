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
# Barboni et al. 2025, training of ResNet-20 on CIFAR-10. The trainings of figure 15: the fraction of the 10,000 test images
# for which the right class has the largest output, before the training and after each epoch. With VarPro it jumps from one
# epoch to the next, in the published curves (circles) as well: its outer weights are those of the last batches.
#
# The quick preset has 200 test images, and trains for a few epochs on 1,000 images. Its accuracy is little better than 0.1,
# the accuracy of chance.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "resnet_sgd_batch_size128"
parameters = {"learning_rate": 0.064, "momentum": 0.9}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig16", preset)

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
page.compare(run, parameters, curve="accuracy")
