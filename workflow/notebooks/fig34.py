# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 34: learning from a convolutional generator with random weights
#
# Goldt et al. 2021. The figure has the setting of figure 33, with images of a dcGAN as inputs. Transposed
# convolutions, batch norms and ReLU map $D = 100$ latents to an image, with the usual random weights. In this network
# a signal would vanish. The batch norms therefore take their statistics from images of the same network, and the last
# layer is scaled to unit variance before the hyperbolic tangent. $\Omega$, $\Phi$ and the mean image come from other
# samples.
#
# Each step needs a new image, which costs 0.2 GFLOP at the size of the paper. The student of the generator therefore
# ends at $t = 100$, within an hour on two cores. Inputs of the Gaussian equivalent cost little. The Gaussian
# equivalent and the equations continue to $t = 10^4$, as in the paper. The page of all figures
# (`docs/reference/figures.md`) has the command for longer runs on images. The quick preset has a quarter of the feature
# maps, images of 16 x 16 pixels, and shorter times.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "random_gan_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig34", preset)

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
