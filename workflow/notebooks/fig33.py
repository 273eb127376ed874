# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 33: learning from random sign networks
#
# Goldt et al. 2021. Inputs $x = \mathcal{G}(c)$ come from a random network of sign units with a normal latent $c$ of
# $D$ dimensions; a teacher of $M = 2$ erf units sees the latent, $y = \sum_m A_m g(B_m \cdot c / \sqrt D)$, and a
# student of $K = 2$ units the input, $\sum_k v_k g(w_k \cdot x / \sqrt N)$. It learns by online SGD, a fresh input each
# step, at rate 0.2 in the first layer and $0.2 / N$ a step in the second.
#
# **Lines** are the equations of motion, which know of the generator only $\Omega = \mathrm{E}\,x x^T$ and $\Phi =
# \mathrm{E}\,x c^T$: the pre-activations are taken to be Gaussian. **Points** are the mean and the standard deviation of
# runs from the same initial weights, blue the error that Gaussian fields with the order parameters $Q$, $R$ of the
# run would give, yellow rings the error on fresh inputs. The **Gaussian equivalent** (crosses, hollow marks) is SGD on normal
# inputs and latents that have the same $\Omega$ and $\Phi$: whatever tells it from the generator is not in these two. Marks of
# both stand at every other time. On the right $\mathrm{tr}\,Q = \sum_k Q_{kk}$ against the equations, with standard errors.
#
# First row, one layer: $\Omega$ and $\Phi$ are exact, by the arcsine law. Second and third, four layers, of two widths: they are
# estimated from samples, as the recursion of the paper is exact only for wide layers. Below, the inputs of the first
# row again, for students and teachers of linear and of relu units (not in the paper): the equations hold for any units.
#
# **What the modes do.** Along each eigenvector of $\Omega$ the densities of $Q$ and $R$ obey an equation of their own,
# and all are coupled through the order parameters. They depend on the eigenvalue as an entire function, so 32 Chebyshev
# nodes stand for all $N$ modes; the check result compares with twice as many.
#
# **Why $Q$ leaves the lines for four layers.** It is not an effect of finite size, nor of the equations: the Gaussian equivalent stays on
# them. It is the pre-activations, which are sums over the units of layers of $D$ and not quite Gaussian. They hardly matter for
# the error, which follows the equations to a percent; but late in the training the error has a flat valley, along which
# units of the student grow together, and a weak push takes $Q$ far along it. The push depends on the width: with
# $N = 500$ the sum of $Q_{kk}$ ends 25 % too high for $D = 50$ and 8 % for $D = 100$, averages over the last third of
# $t \leq 300$; with the paper's $N = 1000$ it is 12 % for $D = 100$ and 4 % for $D = 200$, of $t \leq 1000$, while the Gaussian equivalent stays
# within 1.5 %.
#
# **At the paper preset**, up to $t = 10^4$, the two units of the one-layer student specialise after $t \approx 500$: each
# follows a unit of the teacher.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "sign_one_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig33", preset)

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
page.compare(run, parameters, curve="pmse")
