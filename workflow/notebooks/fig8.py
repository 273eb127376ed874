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
# Barboni et al. 2025, circle, reduced risk for four widths. A network
# $f(x) = \frac1M \sum_j u_j\, \mathrm{relu}(\langle w_j, x\rangle)$ with $|w_j| = 1$ learns from a teacher of the
# same form, whose features concentrate around two directions. Variable projection descends along
# $R(w) = \min_u L(w, u)$, where
#
# $$L(w, u) = \frac{1}{2\lambda N} \Big\| \frac1M \Phi u - y \Big\|^2 + \frac1{2M} \sum_j (u_j - c)^2, \qquad \lambda = 10^{-3}.$$
#
# Left, biased: $c = 0$. Right, unbiased: $c = 1$, where the risk is zero if student and teacher have the same
# distribution. Circles are points of the published curves. The networks have the same random numbers as the published
# ones. At the paper preset the curves are means over six seeds, as in the paper. The quick preset has the first seed
# and no network with 1024 features. It shows circles if the paper published this seed separately.
#
# The dotted curve is the mean-field limit of infinitely many features and data at this ridge (not in the paper). It
# is a deterministic flow of the feature distribution. Wide networks follow it until only the risk of their finite
# number of features remains.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "circle_start_unbiased"
# The mean-field flow has four ridges: 0.1, 0.01, 0.001 and 0.0001. Choose one of them.
parameters = {"samples": 4096, "ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig8", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/varpro.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="risk")
