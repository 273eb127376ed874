# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
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
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig16", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
