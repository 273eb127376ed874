# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 17: width and reduced risk on the torus
#
# Barboni et al. 2025, torus, reduced risk for four widths. A network of features on the torus $\mathbb R^2 / 4\mathbb Z^2$,
#
# $$f(x) = \frac1M \sum_j u_j\, \varphi(w_j, x), \qquad \varphi(w, x) = \frac{2}{s^2}\, e^{-|w - x|/s}, \quad s = \tfrac12,$$
#
# with $|w - x|$ the shortest way, learns from a teacher whose features concentrate around $(-1, 0)$ and $(1, 1)$. Variable
# projection descends along $R(w) = \min_u L(w, u)$,
#
# $$L(w, u) = \frac{1}{2\lambda N} \Big\| \frac1M \Phi u - y \Big\|^2 + \frac1{2M} \sum_j (u_j - c)^2, \qquad \lambda = 10^{-3},$$
#
# with $c = 0$ (left, biased) or $c = 1$ (right, unbiased).
#
# Circles are points of the published curves. Those are of one seed and of random numbers that are not known. The published
# notebooks show other runs of the same experiments, which differ from them by up to 20 percent at the end and 30 percent at
# the start; over four seeds of our own, networks of 128 and 512 features spread by 10 to 18 percent, more while the risk falls
# steeply. That far the two can be expected to agree, and no further. The quick preset has the paper's data
# and teacher, networks of 32 and 128 features, and 4,000 iterations.
#
# The networks compute in single precision, as the published ones did. The outer weights are projected until the risk exceeds
# its minimum by $10^{-10}$ of its data term, which keeps the risk within some $10^{-6}$ of a descent in double precision.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "torus_narrow_width32_unbiased"
parameters = {"gamma": 100.0, "ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig17", preset)

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
