# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 37: logistic regression on random features of generated images
#
# Goldt et al. 2021. A teacher labels an image by the sign of $\theta \cdot c / \sqrt D$, of the latent $c$ that a dcGAN makes
# it from. The student sees $d$ random features $v = \varphi(P^T (x - \bar x) / \sqrt N) - \bar v$ of the image $x$, with
# $\varphi$ erf or relu and $P$ scaled so that fields have unit variance on average, and minimises the logistic loss with
# ridge $\lambda = 10^{-2}$ on $n = \alpha d$ samples. Lines are the replica equations for Gaussian features with the
# covariances $\Psi$, $\Phi$ and $\Omega$, which are estimated from generated images; points are estimators of scikit-learn on
# fresh images, with the standard error over draws.
#
# The features are neither Gaussian nor independent, but errors are those of Gaussian features with the same covariances, for
# a generator of random weights and for one that was trained. Axes, sample ratios and the number of features are ours, as the
# paper's are not known to us; its trained generator had learned CIFAR-10, as ours at the paper preset, while the quick one
# learned digits. The standard error of the covariances is not part of the points' error bars: it is smaller.
# Pooled over both generators, both kinds of features and all sample ratios, the checks would notice an error of 1.2 percent
# in the class error, and of 1.8 percent in the test loss.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "random_gan_erf_replica"
parameters = {"problem.ridges": [0.01], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig37", preset)

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
# `config/gaussian_equivalence.yaml`.

# %%
page.compare(run, parameters, curve="test_loss")
