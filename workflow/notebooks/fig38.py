# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
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
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "random_gan_erf_replica"
parameters = {"problem.ridges": [0.01], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig38", preset)

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
page.compare(run, parameters, curve="test_loss")
