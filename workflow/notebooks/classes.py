# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Several classes
#
# The inputs of cluster c are N(mu_c, Sigma_c), and the labels are the classes. K outputs z = W x / sqrt(N) + b are
# trained by least squares on one-hot labels, or by the softmax, with the penalty ridge / 2 |W|^2 (Loureiro et al.
# 2021). For large N with n / N = alpha, the outputs on cluster c are normal with mean b + M_c and covariance Q_c. A
# training output is the proximal point
#
# x = argmin loss_c(x) + (x - z)' V_c^-1 (x - z) / 2, with the pull f = V_c^-1 (x - z).
#
# With averages E_c over z and the weights rho_c of the clusters, the conjugate order parameters are
#
# V-hat_c = -alpha rho_c E_c df/dz, Q-hat_c = alpha rho_c E_c f f', m-hat_c = alpha rho_c E_c f.
#
# A mode has the variances sigma_c, the gain G = (ridge + sum_c V-hat_c sigma_c)^-1 and the weights W = G sum_c
# m-hat_c mu_c. The order parameters follow:
#
# V_c = <sigma_c G>, M_c = sum over modes of mu_c W,
# Q_c = <sigma_c G (sum Q-hat sigma) G> + sum over modes of sigma_c W W',
#
# where <.> is the average over modes. The bias follows from sum_c m-hat_c = 0. The class error is the probability
# that the output of another class is the largest. Left: class error. Centre: training loss. Right: accuracy of the
# softmax in each class.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "theory"
parameters = {"problem.ridges": [0.1], "problem.noise": 0.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("classes", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/classes.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="test_loss")
