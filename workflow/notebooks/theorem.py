# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The Gaussian equivalence theorem
#
# Goldt et al. 2021 prove that the pre-activations of student and teacher tend to be jointly Gaussian. Their theorem bounds a
# maximum-sliced distance: the largest distance of a combination of the fields from a normal distribution, over all combinations. Here
# the distance is the Wasserstein distance $W_1$ of the whitened fields, maximised by gradient ascent from several starts.
#
# Left: the distance against $N$. Odd units have no third cumulant, so that the distance of generic weights falls about like $1/N$.
# Smooth units with positive weights have one, and attain the rate $N^{-1/2}$ of the theorem. The distance does not fall if there are
# few latents, or if a unit of the student sees one input only.
#
# Right: quantities that enter the theorem, for generic weights. The theorem's constants are not at hand, so that its bound is not
# drawn. For smooth units a second-order Poincare inequality (Nourdin, Peccati and Reinert 2009) gives an explicit bound (marks),
# far above the distance (dotted).

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "theorem"
parameters = {"hidden_units": 2}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("theorem", preset)

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
page.compare(run, parameters, curve="distance")
