# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Convergence to the proportional limit
#
# Demir and Dogan 2025 state their theorems for an input dimension $n$, a number of samples $m$ and a width $k$ that
# grow in proportion. Here $n = m = k$ grow, and the exponents of spikes and step are fixed.
#
# The penalty on the second layer is $\lambda m |w|^2$, and features have the factor $1 / \sqrt k$. At a fixed
# $\lambda$ there is no limit, so the runs keep $\lambda m$ fixed. The strength of the labels falls like
# $1 / |\Sigma|$, with $|\Sigma| = 1 + n^{\beta (1 - \alpha)} / 2$. The figure divides the errors by it.
#
# Panel (a): the scaled error of the network (points), and the theory of the same draws (dashed). Panel (b): the
# standard deviation of this error over data and weights, which falls like $n^{-1/2}$. Panel (c): the distance between
# the mean error and the theory. It is as small as its standard error. Its rate, of order $n^{-1}$ in theory,
# therefore cannot be fitted.
#
# Panels (d) to (f) show Lemmas 2 and 5 of the paper. The structure consists of the spikes and the direction of the
# step. For given components of the input along it, the pre-activations of two units have the correlation of independent
# weights, $(n - 3)^{-1/2}$ (panel d), and the output tends to a Gaussian distribution (panels e and f). Over all inputs it
# does not, because spikes of size $n^{\beta (1 - \alpha)}$ scale the output.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "convergence_1"
parameters = {"data.alpha": 0.5}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("convergence", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/one_step.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="network")
