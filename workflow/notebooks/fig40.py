# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 40: convex losses on Gaussian features
#
# This figure tests the replica equations of Goldt et al. 2021 and is not in the paper. The features have known
# covariances. From $n = \alpha d$ samples, $w$ minimises
# $\sum_\mu \ell(y_\mu, w \cdot v_\mu / \sqrt d) + \frac{\lambda}{2} |w|^2$. The loss is $\ell = (y - z)^2 / 2$ or
# $\log(1 + e^{-yz})$, and in the left column also the loss $\max(0, 1 - yz)$ of support vector machines. The label
# $y$ is the sign of the pre-activation $\nu$ of a teacher. Lines are the theory for $d \to \infty$, which depends on
# the data through $\mathrm{E}\,\nu^2$, $\mathrm{E}\,\nu v$ and $\Omega = \mathrm{E}\,v v^T$ only. Points are
# regression at finite $d$, with the standard error over draws of the samples.
#
# The first two columns have independent features, of equal variances and of variances that fall like a power. The
# third column has erf features of a Gaussian latent, which act like Gaussian features. The last column has relu
# features of the XOR mixture of figure 1 at $\sigma = 0.2$. For the XOR mixture $\nu$ is the label. The dotted line
# is the best readout in the closed form of Refinetti et al. 2021, the limit of the replica solution for many samples.
# The square loss peaks at $\alpha = 1$, where it starts to fit all labels.
#
# In $d$ features, class errors are lower than the theory by about $1/d$ of their value, and losses differ by up to
# $4/d$. The checks of averages over all points allow for this deviation.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "isotropic_replica"
parameters = {"problem.ridges": [0.01, 0.0001], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig40", preset)

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
