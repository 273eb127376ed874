# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 22: one gradient step, network against Hermite model
#
# Demir and Dogan 2025, Figure 1. A network $f(x) = w^\top\varphi(Fx)/\sqrt{k}$ takes one gradient step of size $\eta =
# n^{\beta\alpha}$ on its first layer; its second layer is then fitted by ridge regression to fresh data. The inputs
# come from a mixture whose covariances have a spike of size $\theta = n^{\beta(1-\alpha)}$; labels are
# $\mathrm{relu}(\xi\cdot x)$. The Hermite model has $\sum_{i\le l} h_i\,\mathrm{He}_i(z/b) + h_*\varepsilon$ in the
# place of $\varphi(z)$.
#
# Data are drawn afresh for every trial, so that the error bars (standard errors) hold what the draw of the data
# contributes; the paper has one draw for all trials of a point. That draw is replayed, in the order of the published
# code's random numbers (crosses, at the paper preset). The degree is the code's, 3, not the 5 of the caption.
#
# **Three theories, and why they differ.** *Frozen features* (grey) leave out spike and step: features $\varphi(Fx)$ act
# like $k_0 + k_1 Fx + k_* g$, and the Marchenko-Pastur distribution gives the error; the spike counts only through the length of
# the teacher. That is right as long as $\theta\ll n$ and $\eta\ll\sqrt n$. The *Hermite model* (coloured lines, the
# paper's) has the true first layer after its step, but one polynomial at one preset $b$ for all neurons, and needs a
# simulation of its own. The *conditional equivalent* (black, not in the paper) also has the true first layer, and gives
# every neuron its own scale in every component: given the first layer and the spikes all fields are Gaussian, so that
# Hermite series give $\mathbb{E}\,vv^\top$ and $\mathbb{E}\,yv$ exactly, and ridge regression errs as on Gaussian
# features with these moments. Nothing but the first layer is drawn: no inputs, no training set, no test set. Panel (c)
# ends its series at a degree: they converge at the degree that the paper's rule asks for, while the Hermite model of
# higher degrees leaves the network at $\beta = 1$, since its scale is not that of the fields.
#
# The Hermite model and the network differ by about one percent at $n = 240$. The theory of both gives that difference,
# and the check result allows for it instead of a tolerance.
#
# **Crosses and markers.** In every figure that replays a published draw, the networks' errors were read about half a
# pixel lower than the replay has them (0.5 of the usual reading error on average of 300 markers, at most 1.6): so the
# reading is off, not the draw. The readings have not been corrected for it.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "width"
parameters = {"data.alpha": 0.5, "data.beta": 0.74, "ridge": 0.0001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig22", preset)

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
