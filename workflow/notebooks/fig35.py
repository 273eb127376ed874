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
# # Figure 35: learning from a convolutional generator that was trained
#
# Goldt et al. 2021. As figure 34, with a dcGAN that was trained against a discriminator; the title says on which
# images. The covariance of what it generates is far from that of random weights: a few directions carry most of the
# variance, so learning has many time scales, and local fields are sums of fewer independent terms. The equations hold
# nevertheless, for the images and for Gaussian inputs of the same covariances: error, $Q$, $R$ and $v$, averaged over times,
# agree within the errors over runs, which the verdict gives.

# %% tags=["parameters"]
scale = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig35", scale)

# %%
page.draw()

# %% [markdown]
# ## Verdict

# %%
page.table()
