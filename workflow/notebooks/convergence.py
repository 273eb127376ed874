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
# Demir and Dogan 2025 state their theorems for the input dimension $n$, the number of samples $m$ and the width $k$ that grow in
# proportion. Here $n = m = k$ grow at fixed exponents of spikes and step.
#
# The penalty on the second layer is $\lambda m |w|^2$ and features have the factor $1 / \sqrt k$, so that at a fixed $\lambda$ there is
# no limit. The runs keep $\lambda m$. The strength of the labels falls like $1 / |\Sigma|$, with $|\Sigma| = 1 + n^{\beta (1 -
# \alpha)} / 2$, and is divided out.
#
# Panel (a): the scaled error of the network (points) and the theory of the same draws (dashed). Panel (b): its standard deviation
# over data and weights, which falls like $n^{-1/2}$. Panel (c): distance of the mean from the theory. It is as small as its standard
# error, so that the rate of the bias, of order $n^{-1}$ in theory, cannot be fitted.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "convergence_1"
parameters = {"data.alpha": 0.5}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("convergence", preset)

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
# `config/one_step.yaml`.

# %%
page.compare(run, parameters, curve="network")
