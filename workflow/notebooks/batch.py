# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Batch learning on real and generated images
#
# Goldt et al. 2021 train a readout of random features by logistic regression with weight decay. Its inputs are grey
# images of CIFAR-10, or of a dcGAN that was trained on grey images. The replica equations replace the features by
# Gaussian features with the same covariances (lines). Points are logistic regression on the images, with standard
# errors.
#
# Labels are the signs of a linear teacher. For generated images the teacher sees the latents, for real images the
# pixels. With a teacher on the pixels, teacher and features are not jointly Gaussian, and the class error is below
# the theory (figure 39). The generator is trained here for a few epochs, and the title of the figure states its
# images. The quick preset uses small images of digits.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "grey_gan_replica"
parameters = {"problem.ridges": [0.01], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("batch", preset)

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
page.compare(run, parameters, curve="test_loss")
