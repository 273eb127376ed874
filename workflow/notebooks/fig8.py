# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 8: width and reduced risk
#
# Barboni et al. 2025, circle, reduced risk for four widths. A network $f(x) = \frac1M \sum_j u_j\, \mathrm{relu}(\langle w_j, x\rangle)$
# with $|w_j| = 1$ learns from a teacher of the same kind whose features concentrate around two directions. Variable projection
# descends along $R(w) = \min_u L(w, u)$, where
#
# $$L(w, u) = \frac{1}{2\lambda N} \Big\| \frac1M \Phi u - y \Big\|^2 + \frac1{2M} \sum_j (u_j - c)^2, \qquad \lambda = 10^{-3},$$
#
# with $c = 0$ (left, biased) or $c = 1$ (right, unbiased: the risk vanishes where student and teacher distribution are equal).
# Circles are points of the published curves, with whose random numbers these networks are drawn. The paper's are means over six
# seeds, and so are the curves at its scale; the quick preset has the first seed and no 1024 features, and circles where that
# seed alone was published.
#
# The dotted curve is not in the paper: the mean-field limit of infinitely many features and data at this ridge, a flow of the
# feature distribution without any randomness. Wide networks follow it until the risk of their finite number of features is left.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "circle_start_unbiased"
parameters = {"ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig8", preset)

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
# `config/varpro.yaml`.

# %%
page.compare(run, parameters, curve="risk")
