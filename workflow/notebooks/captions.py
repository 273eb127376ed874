# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # One gradient step with the degrees and spikes of the captions
#
# The captions of Demir and Dogan 2025 differ from the published code in three values. Figures 22 to 24 have the values
# of the code, with which the published curves agree. This figure has the values of the captions.
#
# | figure of the paper | caption | code |
# |---|---|---|
# | 1 | degree $l = 5$, the mean of 20 runs | degree 3, one draw of the data for 20 runs |
# | 2 | degree $l = 4$, spikes $\theta = n^\beta$ | degree 3, $\theta = n^{\beta (1 - \alpha)}$ |
# | 3 | degree $l = 5$ | degree 4 |
#
# Panel (a): error against the width. Panels (b) and (c): alignment and rank of the spikes. The step is
# $\eta = n^{\beta \alpha}$ with $\alpha = 1/2$ in all panels of Gaussian data. Panel (d): generated images of two classes.
# Points are networks, dashed lines Hermite models, and black lines the theory of the drawn first layers.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "width_caption"
parameters = {"degree": 5, "ridge": 0.0001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("captions", preset)

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
page.compare(run, parameters, curve="hermite")
