# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 31: images that generators learned from, and images that they give
#
# Goldt et al. 2021. The inputs of figures 34 to 38 are images that a network generates from a normal latent $c$: a dcGAN
# (transposed convolutions, trained against a discriminator, or with random weights) and a real NVP (a bijection, trained by
# maximum likelihood). Every figure takes the same weights. At the paper preset the dcGAN has those that the authors
# published, or some that are trained here (`generators` in `config/config.yaml`); the flow, which they published as a
# pickled program of no stated size, is always trained here. The titles say on which images: CIFAR-10 at the paper preset,
# embedded images of fewer pixels at the quick one.
#
# On the right: the singular values of $\Phi = \mathbb{E}\,(x - \bar x)c^\top$, which say how much of each direction of
# the latents is in the images, over the root of their mean square, beside those that the authors published with their
# code. A training makes few directions strong.

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
# ## Check result

# %%
page.table()
