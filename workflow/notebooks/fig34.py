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
# Goldt et al. 2021. As figure 33, with images of a dcGAN as inputs: transposed convolutions, batch norms and ReLU from
# $D = 100$ latents to an image, with the usual random weights. A signal would die out in it; so the batch norms take
# their statistics from images of the same network, and the last layer is scaled to unit variance before the hyperbolic
# tangent. $\Omega$, $\Phi$ and the mean image come from samples of their own.
#
# Each step takes a fresh image, which at the paper's size costs 0.2 GFLOP: the student of the generator ends at $t = 100$,
# within an hour on two cores. Its Gaussian equivalent, whose inputs cost next to nothing, and the equations go on to the
# paper's $t = 10^4$. The quick preset has a quarter of the maps, images of 16 x 16 pixels, and shorter times.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "random_gan_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig34", preset)

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
