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
# Refinetti et al. 2021 compare networks with kernel methods, and use random features in place of kernels. With
# infinitely many features, random features are kernel regression. For relu and erf units, this kernel and the neural
# tangent kernel at initialisation are known in closed form.
#
# If the dimension $D$ is large, the kernel of $n$ samples learns a polynomial of the input, whose degree depends on
# $n$. The modes of the kernel have eigenvalues $\omega_i$ and multiplicities $d_i$. A mode is learned by the factor
# $g_i = \omega_i / (\omega_i + \kappa)$, where
#
# $$n = \sum_i d_i g_i + (\lambda + r) / \kappa,$$
#
# with the ridge $\lambda$ and the diagonal $r$ of the kernel outside these modes.
#
# Lines are the equations, and points are regression on samples.
#
# * **Panel (a)**: low signal-to-noise ratio. The labels of XOR depend on a quadratic polynomial. Kernels therefore
#   learn nothing from a number of samples of order $D$, and everything from a number of order $D^2$. They do not fail
#   in this regime, they need more samples.
# * **Panel (b)**: in the mixed regime a number of samples of order $D$ is enough.
# * **Panel (c)**: random features on finitely many samples approach the kernel (horizontal lines) if there are many
#   more features than samples. The dashed lines mark as many features as dimensions.
# * **Panel (d)**: random features with infinitely many samples. In the equations, features and samples exchange their
#   roles. Points are the closed form of figure 1. At the larger noise, the noise of the authors' command, even the
#   Bayes-optimal classifier (dotted) is at chance.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "kernel_low_theory"
parameters = {"ridge": 0.001, "activation": "relu"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("kernel_limit", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/mixtures.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="class_error")
