# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # One mixture, four theories
#
# The mixture comes from `config/theory_comparison.yaml`. By default it is XOR with means of length one. Left: class
# error against the noise, with $m = 10D$ samples. Middle: class error against the number of samples. Right: class
# error against the size of the gradient step. The last two panels have one noise.
#
# * Black: the Bayes-optimal classifier.
# * Grey: a linear classifier, which is at chance on XOR.
# * Orange: random features with a second layer fitted by ridge regression; dashed for infinitely many samples.
# * Blue: the same features after one gradient step of the first layer on $m$ other samples.
# * Green: the end of online SGD of a network of four units.
# * Purple: variable projection on the $m$ samples of the fit, with early stopping.
#
# Lines are theory and marks are simulations. Variable projection has simulations only.
#
# **Effect of one step.** Random features depend on the mixture through the curvature of the activation only, an
# effect that the noise hides as $D$ grows. The gradient of one step points to the means. With about ten samples for
# each dimension or more, one step of the right size gives most of the improvement from random features to the fixed
# point of SGD. With few samples the gradient is mostly noise, and a large step increases the error.
# `docs/how_to/theory_comparison.md` states the limits.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "comparison_network"
parameters = {"learning_rate": 0.1, "weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("theory_comparison", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/theory_comparison.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="class_error")
