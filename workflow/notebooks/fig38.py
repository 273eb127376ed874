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
# # Figure 38: least squares on random features of generated images
#
# Goldt et al. 2021. As figure 37, from the same draws, with the loss $(y - z)^2 / 2$ in place of the logistic one. At
# $\alpha = 1$ the student starts to fit all labels. The test loss peaks about there (middle row), more so for relu
# features, and the replica equations follow it; not so for erf features of the trained generator, whose variances fall so
# fast that the ridge is felt: there the loss falls with every sample. The class error has a shoulder at most.
#
# The last check ties the equations to the first study: on random features of the XOR mixture of Refinetti et al. 2021 their
# solution for many samples is the best readout, which that paper has in closed form. Figure 40 shows the way there.

# %% tags=["parameters"]
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig38", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
