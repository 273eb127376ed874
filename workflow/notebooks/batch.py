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
# Goldt et al. 2021 train a readout of random features by logistic regression with weight decay. Its inputs are grey images: of
# CIFAR-10, or of a dcGAN that was trained on grey images. The replica equations replace the features by Gaussian ones with the same
# covariances (lines). Points are logistic regression on the images, with standard errors.
#
# Labels are the signs of a linear teacher. For generated images it sees the latents, for real images it sees the pixels. In that
# case teacher and features are not Gaussian together, and the class error lies below the theory (figure 39). The generator is
# trained here for a few epochs; the title of the figure states its images. The quick preset uses small images of digits.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "grey_gan_replica"
parameters = {"problem.ridges": [0.01], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("batch", preset)

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
# `config/gaussian_equivalence.yaml`.

# %%
page.compare(run, parameters, curve="test_loss")
