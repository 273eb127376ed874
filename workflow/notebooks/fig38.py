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
# Goldt et al. 2021. The figure uses the draws of figure 37. The loss $(y - z)^2 / 2$ replaces the logistic loss. At
# $\alpha = 1$ the student starts to fit all labels. The test loss peaks near this ratio (middle row), more strongly
# for relu features. The replica equations show the same peak. Erf features of the trained generator have no peak.
# Their variances fall so fast that the ridge matters, and the loss falls with every additional sample. The class
# error has no clear peak.
#
# The last check connects the equations to the study of mixtures. It uses random features of the XOR mixture of
# Refinetti et al. 2021. For many samples the solution of the equations is the best readout, which is known in closed
# form. Figure 40 shows the approach to this limit.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "random_gan_erf_replica"
parameters = {"problem.ridges": [0.01], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig38", preset)

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
page.compare(run, parameters, curve="test_loss")
