# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The kernel limit
#
# Refinetti et al. 2021 compare networks with kernel methods, for which random features stand. With infinitely many features,
# random features are kernel regression. Its kernel is known in closed form for relu and erf units, and so is the neural tangent
# kernel at initialisation.
#
# If the dimension $D$ is large, the kernel of $n$ samples learns a polynomial of the input, whose degree depends on $n$. The modes
# of the kernel have eigenvalues $\omega_i$ and multiplicities $d_i$. A mode is learned by the factor
# $g_i = \omega_i / (\omega_i + \kappa)$, where
#
# $$n = \sum_i d_i g_i + (\lambda + r) / \kappa,$$
#
# with the ridge $\lambda$ and the diagonal $r$ of the kernel outside these modes.
#
# Panel (a): low signal-to-noise ratio. The labels of XOR depend on a quadratic polynomial, so that $n$ of the order of $D$ teaches
# nothing and $n$ of the order of $D^2$ teaches it all. Kernels do not fail there, they need more samples. Panel (b): in the mixed
# regime the order of $D$ samples suffices. Lines are the equations, points are regression on samples. Panel (c): random features
# on finitely many samples come near the kernel (horizontal lines) if there are many more features than samples. The dashed lines
# mark as many features as dimensions. Panel (d): random features with infinitely many samples, where features replace samples in
# the equations. Points are the closed form of figure 1. At the larger noise, which the authors' command uses, even the Bayes-optimal classifier
# (dotted) is at chance.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "kernel_low_theory"
parameters = {"ridge": 0.001, "activation": "relu"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("kernel_limit", preset)

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
# `config/mixtures.yaml`.

# %%
page.compare(run, parameters, curve="class_error")
