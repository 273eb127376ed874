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
# $D$ dimensions. A teacher of $M = 2$ erf units sees the latent, $y = \sum_m A_m g(B_m \cdot c / \sqrt D)$. A student
# of $K = 2$ units sees the input, $\sum_k v_k g(w_k \cdot x / \sqrt N)$. It learns by online SGD with a new input in
# each step. The learning rate is 0.2 in the first layer and $0.2 / N$ in the second layer.
#
# **Lines** are the equations of motion. They depend on the generator through $\Omega = \mathrm{E}\,x x^T$ and
# $\Phi = \mathrm{E}\,x c^T$ only, and assume Gaussian pre-activations. **Points** are the mean and the standard
# deviation of runs from the same initial weights. Blue points are the error of Gaussian pre-activations with the
# order parameters $Q$, $R$ of the run. Yellow rings are the error on new inputs. The **Gaussian equivalent**
# (crosses, hollow marks) is SGD on normal inputs and latents with the same $\Omega$ and $\Phi$. A difference between
# it and the generator is an effect of other properties of the generator. Both have marks at alternate times. Right:
# $\mathrm{tr}\,Q = \sum_k Q_{kk}$ of simulation against the equations, with standard errors.
#
# First row: one layer, with $\Omega$ and $\Phi$ in closed form by the arcsine formula. Second and third row: four
# layers of two widths. Here $\Omega$ and $\Phi$ are estimated from samples, because the recursion of the paper is
# exact for wide layers only. Bottom: the inputs of the first row, for students and teachers of linear and of relu
# units (not in the paper). The equations hold for any units.
#
# **Modes.** Along each eigenvector of $\Omega$, the densities of $Q$ and $R$ obey an equation that depends on the
# eigenvalue and on the order parameters. They are entire functions of the eigenvalue, so that 32 Chebyshev nodes
# represent all $N$ modes. The check compares with twice as many nodes.
#
# **Deviations of $Q$ for four layers.** $Q$ of the generator leaves the lines, and $Q$ of the Gaussian equivalent
# does not. So neither finite size nor the equations are the cause. The pre-activations are sums over the units of
# layers of width $D$, and are not quite Gaussian. The error hardly depends on this, and follows the equations to a
# percent. Late in the training the error has a flat valley, along which units of the student grow together. A small
# deviation moves $Q$ far along it. The deviation depends on the width. For $N = 500$ the trace of $Q$ is 26 % too
# large for $D = 50$ and 8 % for $D = 100$, on average over the last third of $t \leq 300$. With $N = 1000$, as in the
# paper, it is 28 % too large for $D = 100$ and 3 % for $D = 200$, on average from $t \approx 4000$ to $10^4$. The
# Gaussian equivalent stays within 4 %.
#
# **At the paper preset**, up to $t = 10^4$, the two units of the one-layer student specialise after $t \approx 500$:
# each follows one unit of the teacher.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "sign_one_curve"
parameters = {"learning.learning_rate": 0.2, "learning.activation": "erf"}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig33", preset)

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
page.compare(run, parameters, curve="pmse")
