# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Beside figure 4: how many random features, and how many clusters
#
# Refinetti et al. 2021, further cases of its figures 3 and 4.
#
# Left: class error of the best readout of $F$ random features, against $F/D$. Lines are the closed form, points a readout of
# the same features on fresh inputs. The XOR mixture (low signal-to-noise ratio, $\sigma = 0.3$) needs many features. Where one
# class is twice as noisy as the other, the length of an input tells the classes apart as well, which features see. Their output
# then varies with that length and is not Gaussian within a cluster, as the closed form of the class error takes it to be: the
# dashed line is too high where errors are rare, while the squared error is exact. Odd and even digits are told apart by few.
#
# Right: learning curves of a network of erf units on odd against even digits, as the mixture of one cluster a class, each with
# all its images, or of five, one a digit. All clusters of a mixture share the average of their covariances. Lines are the
# equations of motion, points the mean and standard deviation of simulations. With a cluster a digit the Bayes-optimal classifier (dotted) is forty
# times better, as the noise within a cluster is smaller; a network of four units, at these times, is hardly so.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "ode_mnist_two"
parameters = {"schedule.learning_rate": 0.1, "schedule.weight_decay": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig4_more", preset)

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
# `config/mixtures.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
