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
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("batch", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
