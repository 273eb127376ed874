# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 26: error against $\beta$ for three ways to split it
#
# Demir and Dogan 2025, Figure 5. Spikes of size $\theta = n^{\beta(1-\alpha)}$ and a step of size $\eta =
# n^{\beta\alpha}$: only spikes ($\alpha = 0$), both, only the step ($\alpha = 1$). Points, lines and crosses are as in
# figure 22, whose last panel is the middle one here; the crosses are missing on the right, where the paper keeps one
# draw of the data for all $\beta$.
#
# **Where the theories part.** Lower panels: how far each lies from the conditional equivalent (black above; see figure
# 22), which holds for every $\alpha$ and $\beta$. *Frozen features* (dash-dotted) fail at both ends. At $\alpha = 0$ the
# spike bends the activation once $\theta$ is no longer small against $n$: the published ReLU network at $\beta = 2/3$,
# $\theta/n = 0.10$, has 0.0033 for 0.0031, and twelve percent are missing at $\beta = 1$. At $\alpha = 1$ networks learn
# from the step once $\eta$ is comparable to $\sqrt n$, at $\beta = 1/2$: the published ReLU network at $\beta = 1$ has
# 0.090 for 0.109. The *Hermite model* has the true step, and follows the network at $\alpha = 1$; but its scale $b$ is
# that outside of the spikes. At $\alpha = 0$ and $\beta > 0.8$ the fields of a spiked component are wider than that, its
# polynomial grows where the activation does not, and it errs by 53 to 75 percent more than a ReLU network of $n = 1000$.
# A higher degree makes this worse. The conditional equivalent has each neuron's own scale in each component.
#
# The degree rule asks for $l = \lceil\beta/(1-\beta)\rceil$, of which the code takes at most 4.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "beta"
parameters = {"ridge": 0.0001, "data.label_noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig26", preset)

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
