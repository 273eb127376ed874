# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 35: learning from a trained convolutional generator
#
# Goldt et al. 2021. The figure has the setting of figure 34, with a dcGAN that was trained against a discriminator.
# The title names the training images. The covariance of the generated images differs strongly from the covariance for
# random weights: a few directions have most of the variance. Learning therefore has many time scales, and
# pre-activations are sums of fewer independent terms. The equations hold nevertheless, for the images and for
# Gaussian inputs with the same covariances. Averaged over times, the error, $Q$, $R$ and $v$ agree within the errors
# over runs, which the checks state.
#
# SGD on images ends earlier than SGD on the Gaussian equivalent, at the dotted line, because images cost more than
# Gaussian inputs.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "trained_gan_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig35", preset)

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
page.compare(run, parameters, curve="pmse")
