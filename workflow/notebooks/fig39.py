# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 39: random features of real images, and the limits of the Gaussian theory
#
# Goldt et al. 2021, on grey images. The title names the image set. The set is the whole distribution: training and
# test images are drawn from it with replacement, so that they are independent. Features are erf features as in figure
# 37, with $\lambda = 10^{-2}$. Lines are replica equations with the covariances over all images.
#
# **Left.** Labels $\pm 1$ separate two groups of classes: even from odd digits, or animals from vehicles. The theory
# of least squares needs only $\mathrm{E}\,y^2$ and $\mathrm{E}\,y v$ of these labels. On 2,000 digits the test loss
# is nevertheless four percent above the replica equations on average, and the training loss 3 to 14 percent below. The
# main reason is the finite set: many digits are drawn twice, which adds no information. The theory of draws from a set (dotted)
# has the same covariances and includes these repetitions. A Gaussian set of the same size agrees with it. The
# remaining two to three percent of the test loss at $\alpha = 2$ to $3$ come from the distribution of the images. The
# 50,000 images of CIFAR-10 are rarely drawn twice. For small $\alpha$ the student nearly interpolates, and its small
# training loss is above the theory: by 17 % at $\alpha = 1/2$ and by 7 % at $\alpha = 1$, seven and four standard
# errors.
#
# **Middle and right.** The label is the sign of the pre-activation $\nu$ of a linear teacher on the pixels. The
# theory (solid) assumes that $\nu$ and the features are jointly Gaussian, and this assumption fails. The class error
# of simulations is below the theory. For 2,000 digits the difference is up to a fifth. For the 50,000 images of
# CIFAR-10 it is 8 to 10 % with least squares, and 5 to 7 % with the logistic loss. Images vary in few directions,
# so that non-linear features represent some of the non-linear component of $\mathrm{sign}\,\nu$. For Gaussian
# features this component is noise. The dashed lines have the measured $\mathrm{E}\,y v$ instead of its Gaussian
# value. With draws from the set (dotted), this theory of least squares agrees to 1.5 % on 2,000 digits, on average. The logistic loss depends on further properties of the
# distribution. Two checks confirm the failure.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "image_classes_replica"
parameters = {"problem.ridges": [0.01], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig39", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/gaussian_equivalence.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="test_loss")
