# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 28: generated images, width and step
#
# Demir and Dogan 2025, Figure 7. Left: the left panel of figure 24. Right: the error against the size of the gradient step,
# from $\eta = 1$ to $\eta = n$, at $k = m$. Larger steps tell the classes better at first, in squares
# (top) and in classes missed (bottom); towards $\eta = n$ the curve turns around, from 0.135 to 0.150 in the paper. The Hermite model is left out on the
# right, as in the paper: it holds for small steps, and for large ones its polynomial explodes.
#
# Black lines are the theory of figure 24, which holds for steps of any size. Data and generator are those of that figure. **At the
# quick preset** the GAN is a reduced one, of the embedded 750 images, and $m$ is smaller.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "tops"
parameters = {"ridge": 0.0001, "degree": 4}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig28", preset)

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
