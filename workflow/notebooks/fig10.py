# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 10: ridge and distances
#
# Barboni et al. 2025, circle, $M = 1024$, six networks; at the quick preset $M = 512$ and the first network. Distances to the
# teacher (left), to the ultra-fast diffusion (middle), and to the mean-field flow at the network's own ridge (right, not in the
# paper). Solid: unbiased, dashed: biased; circles are points of the published curves.
#
# The paper expects the diffusion as $\lambda \to 0$. Yet the distance to it does not shrink with $\lambda$: it has humps near
# iterations 1500 and 8000. The reason is that a relu without bias does not see the odd harmonics $k \ge 3$ of the feature
# distribution, since
#
# $$\mathrm{relu}(\cos t) = \tfrac1\pi + \tfrac12 \cos t + \sum_{k\ \mathrm{even}} \frac{2\,(-1)^{k/2+1}}{\pi (k^2 - 1)} \cos kt .$$
#
# In the mean-field limit at ridge $\lambda$ the outer weights are $u = c + h$, $h = \sum_k h_k e^{ikt}$ over the visible $k$, with
#
# $$\frac{\lambda}{s_k} h_k + \langle e^{-ikt} h \rangle_f = \langle e^{-ikt} \rangle_{f^*} - c\, \langle e^{-ikt} \rangle_f, \qquad
# \partial_t f = -\tfrac12\, \partial_x ( f\, \partial_x u^2 ).$$
#
# To this flow the networks stay close: what is left is the randomness of 1024 initial features. Where a strong ridge is
# biased they part from it late, since the minimum is flat and the 4096 data points move it; with 65,536 of them they do less.
# **What six networks do not show.** At the paper preset the distances to the teacher at the end fall with the ridge, as the
# paper says (means 0.0223, 0.0123, 0.0100, 0.0090 of $M = 1024$), but the networks differ so much that the order of
# neighbours is not beyond chance of one in a thousand: three checks fail there, and are left as they are.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "circle_start_unbiased"
parameters = {"ridge": 0.001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig10", preset)

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
page.compare(run, parameters, curve="mmd_teacher")
