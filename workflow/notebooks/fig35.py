# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 35: learning from a convolutional generator that was trained
#
# Goldt et al. 2021. As figure 34, with a dcGAN that was trained against a discriminator; the title says on which
# images. The covariance of what it generates is far from that of random weights: a few directions carry most of the
# variance, so learning has many time scales, and pre-activations are sums of fewer independent terms. The equations hold
# nevertheless, for the images and for Gaussian inputs of the same covariances: error, $Q$, $R$ and $v$, averaged over times,
# agree within the errors over runs, which the check result gives.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "trained_gan_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig35", preset)

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
page.compare(run, parameters, curve="pmse")
