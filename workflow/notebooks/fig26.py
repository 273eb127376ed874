# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 26: error against $\beta$ for three values of $\alpha$
#
# Demir and Dogan 2025, Figure 5. Spikes have the size $\theta = n^{\beta(1-\alpha)}$, and the step has the size
# $\eta = n^{\beta\alpha}$. From left to right: only spikes ($\alpha = 0$), both, only the step ($\alpha = 1$).
# Points, lines and crosses are as in figure 22, whose last panel is the middle panel here. The right panel has no
# crosses, because the paper keeps one draw of the data for all $\beta$.
#
# **Validity of the theories.** The lower panels show the difference of each theory from the conditional equivalent
# (black in the upper panels; see figure 22). The conditional equivalent holds for every $\alpha$ and $\beta$.
#
# * *Frozen features* (dash-dotted) fail on the left and on the right. At $\alpha = 0$ a spike changes the mean
#   activation once $\theta$ is comparable to $n$. At $\beta = 2/3$, where $\theta/n = 0.10$, the error of the
#   published ReLU network is 0.0033, and the theory gives 0.0031. At $\beta = 1$ the theory is 14 to 32 percent
#   too low. At $\alpha = 1$ networks learn from the step once $\eta$ is comparable to $\sqrt n$, at $\beta = 1/2$. At
#   $\beta = 1$ the error of the published ReLU network is 0.090, and the theory gives 0.109.
# * The *Hermite model* contains the step, and agrees with the network at $\alpha = 1$. Its scale $b$ is the scale of
#   pre-activations outside the spikes. At $\alpha = 0$ and $\beta > 0.8$ the pre-activations of a component with a
#   spike have a larger scale. There its polynomial grows and the activation does not. At $\beta = 1$ its
#   error is 40 percent (ReLU), 13 percent (tanh) and 1 percent (sigmoid) above the conditional equivalent. A higher
#   degree increases this difference. The conditional
#   equivalent has a scale for each neuron and each component.
#
# The rule of the paper gives the degree $l = \lceil\beta/(1-\beta)\rceil$. The published code uses at most 4.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "beta"
parameters = {"ridge": 0.0001, "data.label_noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig26", preset)

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
