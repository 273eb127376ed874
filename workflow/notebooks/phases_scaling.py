# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Learning rates and widths that scale with the dimension
#
# A committee of K ~ N^kappa erf units has the second layer 1 / K. It learns online with the learning rate gamma ~
# N^-delta (Veiga et al. 2022). The covariance C of all pre-activations changes with t = steps / N by
#
# dC/dt = rho drift + rho^2 noise, rho = gamma / K ~ N^-(kappa + delta).
#
# * Green, kappa + delta > 0: the noise vanishes in large dimensions, and learning is gradient flow in the time rho t.
# * Blue, kappa + delta = 0: drift and noise are of the same order.
# * Orange, kappa + delta from -1/2 to 0: the noise dominates. In the time rho^2 t the norms of the weights grow, and
#   the overlaps with the teacher stay constant.
#
# At -1/2 and below, the equations do not hold.
#
# Solid lines are the equations at the dimension of the runs, dotted lines their limits, and marks are SGD in order
# parameters. The limits are reached slowly: the equations differ from them by powers of N^-(kappa + delta).

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "few_scaling"
parameters = {"learning_rate": 4.0}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("phases_scaling", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/teacher_student.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
