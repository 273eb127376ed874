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
# Demir and Dogan 2025, Figure 7. Left: the left panel of figure 24. Right: the error against the size of the gradient
# step, from $\eta = 1$ to $\eta = n$, at $k = m$. The top row shows the squared error, the bottom row the class
# error. Larger steps separate the classes better at first. Towards $\eta = n$ the error of relu networks rises
# again, from 0.135 to 0.148, and in the paper to 0.150. As in the paper, the right panel has no Hermite model: it holds for small steps, and for large
# steps its polynomial diverges.
#
# Black lines are the theory of figure 24, which holds for steps of any size. Figure 24 has the same data and
# generator. **At the quick preset** the GAN is a reduced one, trained on the embedded 750 images, and $m$ is smaller.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "tops"
parameters = {"ridge": 0.0001, "degree": 4}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig28", preset)

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
