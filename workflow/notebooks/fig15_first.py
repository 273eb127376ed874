# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figures 15 and 16: the first epochs
#
# Barboni et al. 2025, training of ResNet-20 on CIFAR-10. The figure shows the beginning of the trainings with batches
# of 256. Each training takes a quarter of an hour on a CPU core, whereas a training of figures 15 and 16 takes about
# five hours. Left: the risk, a mean over each epoch. Right: the accuracy on the test images. Circles, at the paper
# preset, are the published curves.
#
# Variable projection has the smallest risk in the first epoch, and the lowest accuracy after the last epoch, because its
# outer weights fit the last batches.
#
# At the paper preset one check fails. The test accuracy of variable projection after the epochs is 0.17, 0.24,
# 0.35, 0.34 and 0.40. The published values are higher: 0.22, 0.45, 0.51, 0.46 and 0.47. The risk agrees in each
# epoch. The difference between two runs is known only from the scatter of one published curve. The published
# accuracies after one epoch range from 0.14 to 0.34 over the five batch sizes, which is a larger scatter. The risk of
# Shampoo is 8 to 18 percent above the published risk after the first epoch, at most three times the stated error.
#
# The quick preset trains for one epoch of four steps, on the 1,000 images that come with this project. The paper has
# no values for this training.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "resnet_first_sgd"
parameters = {"learning_rate": 0.064, "momentum": 0.9}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig15_first", preset)

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
