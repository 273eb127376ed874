# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 30: the images
#
# Demir and Dogan 2025, Figure 9. The figure shows the inputs of figures 24, 28 and 29: generated T-shirts, generated
# trousers, and both classes as inputs of the network. The trousers are centred and scaled to the variance of the
# T-shirts. The inputs of the network are scaled to a total variance of $n = 784$, with unit noise.
#
# All of these figures use one generator. It is the published generator, or a generator that is trained here
# (`generators` in `config/config.yaml`). The variances of the published generator must agree with the values that the
# published code prints. Means and variances come from a million images of each class (15,500 at the quick preset).
# **At the quick preset** the GAN is a reduced one, trained on the embedded 750 images in half a minute.

# %% tags=["parameters"]
# To change a parameter of a run, edit `sandals_and_boots` in config/one_step.yaml. Then call
# `snakemake figures/quick/fig30.pdf`.
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig30", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()
