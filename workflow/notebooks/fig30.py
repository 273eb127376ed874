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
# Demir and Dogan 2025, Figure 9: what figures 24, 28 and 29 learn from. Generated T-shirts; generated trousers, less their
# mean and scaled to the variance of the T-shirts; and both classes as the network sees them, scaled to a total variance
# of $n = 784$ under unit noise.
#
# One generator serves all of these figures: the published one, whose variances must be those that the published code
# prints, or one that is trained here (`generators` in `config/config.yaml`). Means and variances come from a stream of a
# million images of either class (20,000 at the quick preset). **At the quick preset** the GAN is a reduced one, trained on the embedded 750
# images in half a minute.

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
# ## Check result

# %%
page.table()
