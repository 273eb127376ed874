# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 40: learning by a convex loss from Gaussian features
#
# A control of our own for the replica equations of Goldt et al. 2021, on features of which all covariances are known.
# From $n = \alpha d$ samples, $w$ minimises $\sum_\mu \ell(y_\mu, w \cdot v_\mu / \sqrt d) + \frac{\lambda}{2} |w|^2$
# for $\ell = (y - z)^2 / 2$ or $\log(1 + e^{-yz})$, and on the left also $\max(0, 1 - yz)$ of support vector
# machines, where $y$ is the sign of a teacher's field $\nu$. Lines are the theory for $d \to \infty$, which depends
# on the data through $\mathrm{E}\,\nu^2$, $\mathrm{E}\,\nu v$ and $\Omega = \mathrm{E}\,v v^T$ alone; points are
# estimators of scikit-learn at finite $d$, with the standard error over draws of the samples.
#
# From left to right: independent features of the same variance; variances that fall like a power; erf features of a
# Gaussian latent, which act like Gaussian ones; and relu features of the XOR mixture of figure 1, at $\sigma = 0.2$. There
# the label itself is $\nu$, and the dotted line is the best readout in the closed form of Refinetti et al. 2021, where the
# replica solution has to end for many samples. The square loss peaks at $\alpha = 1$, where it starts to fit all labels.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "isotropic_replica"
parameters = {"problem.ridges": [0.01, 0.0001], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig40", preset)

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
