# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 4, further cases: number of random features and of clusters
#
# Refinetti et al. 2021, further cases of figures 3 and 4.
#
# **Left.** Class error of the best readout of $F$ random features, against $F/D$. Lines are the closed form, points a
# readout of the same features on new inputs. The XOR mixture (low signal-to-noise ratio, $\sigma = 0.3$) needs many
# features. If one class is twice as noisy as the other, the length of an input also separates the classes, and
# features depend on it. Their output then varies with this length and is not Gaussian within a cluster. The closed
# form of the class error assumes a Gaussian output, so that the dashed line is too high if errors are rare. The
# squared error is exact. Few features are enough to separate odd from even digits.
#
# **Right.** Learning curves of a network of erf units on odd against even digits. A mixture has one cluster for each
# label, with all images of the label, or five clusters, one for each digit. All clusters of a mixture share the
# average of their covariances. Lines are the equations of motion. Points are the mean and standard deviation of
# simulations. With a cluster for each digit the noise within a cluster is smaller, and the Bayes error (dotted) is
# five times smaller at the paper preset, and forty times at the quick preset. The error of a network of four units is hardly smaller at these times.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "ode_mnist_two"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig4_more", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/mixtures.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
