# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 31: real and generated images
#
# Goldt et al. 2021. In figures 34 to 38 a network generates the input images from a normal latent $c$. The dcGAN
# consists of transposed convolutions. Its weights are random, or trained against a discriminator. The real NVP is a
# bijection that is trained by maximum likelihood. All figures share the same weights. At the paper preset the dcGAN
# has the published weights, or weights that are trained here (`generators` in `config/config.yaml`). The authors
# published the flow as a pickled program. It is therefore always trained here. The titles name the training images:
# CIFAR-10 at the paper preset, smaller embedded images at the quick preset.
#
# Right: the singular values of $\Phi = \mathbb{E}\,(x - \bar x)c^\top$, divided by their root mean square. They state
# how much of each direction of the latents is in the images. The values that the authors published with their code
# are shown for comparison. A training makes few directions strong.

# %% tags=["parameters"]
# To change a parameter of a run, edit `random_gan_moments` in config/gaussian_equivalence.yaml. Then call
# `snakemake figures/quick/fig31.pdf`.
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig31", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()
