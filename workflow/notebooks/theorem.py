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
# Goldt et al. 2021 prove that the pre-activations of student and teacher tend to be jointly Gaussian. Their theorem
# bounds a maximum-sliced distance: the largest distance of a linear combination of the pre-activations from a normal
# distribution. Here the distance is the Wasserstein distance $W_1$ of the whitened pre-activations, maximised by
# gradient ascent from several starts.
#
# Left: the distance against $N$. Odd units have no third cumulant, so that the distance for generic weights falls
# about like $1/N$. Smooth units with positive weights have a third cumulant, and reach the rate $N^{-1/2}$ of the
# theorem. The distance does not fall if there are few latents, or if a unit of the student sees one input only.
#
# Right: quantities that enter the theorem, for generic weights. The constants of the theorem are not known, so that
# its bound is not drawn. For smooth units a second-order Poincare inequality (Nourdin, Peccati and Reinert 2009)
# gives an explicit bound (marks), far above the distance (dotted).

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "theorem"
parameters = {"hidden_units": 2}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("theorem", preset)

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
page.compare(run, parameters, curve="distance")
