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
# The mixture of `config/theory_comparison.yaml`, by default XOR with means of length one. Left: class error against the noise, with
# $m = 10D$ samples. Middle and right: against the number of samples, and the size of the gradient step, at one noise.
#
# Black: the Bayes-optimal classifier. Grey: a linear classifier, which cannot do better than chance on XOR. Orange: random features
# with a second layer fitted by ridge regression, and dashed for samples without end. Blue: the same after one gradient step
# of the first layer on other $m$ samples. Green: where online SGD of a network of four units ends. Purple: variable
# projection on the $m$ samples of the fit, stopped early. Lines are theory and marks are simulations; variable projection
# has none but simulations here.
#
# **What a step buys.** Random features see the mixture through their curvature alone, which the noise hides as $D$ grows.
# The gradient of one step points to the means, since labels weigh each unit's inputs: from about ten samples a dimension
# on, one step of the right size takes most of the way from random features to the fixed point of SGD. With few samples the
# gradient is mostly noise, and a large step does harm. `docs/how_to/theory_comparison.md` has the limits.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "comparison_network"
parameters = {"learning_rate": 0.1, "weight_decay": 0.01}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("theory_comparison", preset)

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
# `config/theory_comparison.yaml`.

# %%
page.compare(run, parameters, curve="class_error")
