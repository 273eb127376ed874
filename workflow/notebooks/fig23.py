# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 23: alignment, mixture ratio and rank
#
# Demir and Dogan 2025, Figure 2, at $\beta = 0.74$, $\alpha = 1/2$, $k = m = n$. Left: the spikes of the two
# components are at an angle. Top right: classification of two components that differ only in the direction of their
# spike. The features of tanh are odd and cannot separate centred components. The error of tanh networks therefore
# stays above 1/2, the error of the output zero. Bottom left: several spikes, with sizes that are uniform between 0
# and $\theta$. Bottom right: class error of the networks at the top right. Its theory (black) averages over the
# components of the inputs along the spikes and the step. Given these, the output is normal.
#
# In the left panels each trial of the paper draws new data, and the figure repeats these runs with the random numbers
# of the paper. In the right column, each trial draws new data as in figure 22, and crosses repeat the single draw of
# the paper. The degree is 3; the caption states 4. The rank has 100 trials; the paper has 20. Error bars are standard
# errors. With one spike of random size, $d = 1$, single trials differ by 80 percent.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "ratio"
parameters = {"data.alpha": 0.5, "data.beta": 0.74, "ridge": 0.0001}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig23", preset)

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
