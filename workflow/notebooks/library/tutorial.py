# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Tutorial of the library
#
# This notebook uses the equations and simulations of the four papers as functions. It takes half a minute. Change a
# value in any cell and run the cell again.

# %%
import matplotlib.pyplot as plt
import numpy as np

import twolayer as tl

# %% [markdown]
# ## Your own mixture
#
# A mixture of Gaussian clusters has means, labels, weights and a noise $\sigma$. A network of three units learns it by
# online SGD with the step $\eta$. The equations of motion describe the same learning curve for infinite dimension.

# %%
mixture = tl.Mixture(means=[[1.5, 0], [-0.5, 1], [-0.5, -1]], labels=[1, -1, -1], weights=[0.5, 0.3, 0.2], sigma=0.6)
student = tl.Student("erf", hidden_units=3, dimension=500, seed=0)
schedule = tl.Schedule(learning_rate=0.2, weight_decay=0.01, last_time=100)
theory = tl.learning_curve(mixture, student, schedule)
runs = tl.online_sgd(mixture, student, schedule, seeds=5)

# %%
figure, axes = plt.subplots(figsize=(6, 4))
theory.pmse.plot(ax=axes, xscale="log", label="equations")
runs.pmse.mean("seed").plot(ax=axes, linestyle="", marker="o", label="SGD, mean of 5 runs")
axes.legend()
axes.set_title("Learning curve of a mixture")
plt.close(figure)
figure

# %% [markdown]
# ## Reading a result
#
# Every function returns an xarray Dataset. A variable has a description and a unit. The attributes state the task,
# the parameters and the versions. Values are selected by the name of a coordinate.

# %%
print(theory.pmse.attrs["long_name"])
print("pmse at time 10:", float(theory.pmse.sel(time=10, method="nearest").round(4)))
print("standard error of SGD:", float((runs.pmse.std("seed") / np.sqrt(5)).isel(time=-1).round(5)))

# %% [markdown]
# ## Your own features
#
# The replica equations need only the covariances of the features and labels. Here the features are
# $\tanh(Fx)$ of Gaussian inputs, and a linear model learns labels by ridge regression.

# %%
inputs = np.random.default_rng(0).standard_normal((4000, 30))
labels = np.sign(inputs[:, 0] + 0.5 * inputs[:, 1])
features = np.tanh(inputs @ np.random.default_rng(1).standard_normal((30, 40)) / 6)
covariances = tl.feature_covariances(features, labels)
problem = tl.ConvexProblem(sample_ratios=[0.5, 1, 1.5, 2, 3], ridges=[0.1], losses=["square"], labels="linear")
replica = tl.replica(covariances, problem).test_loss.squeeze()
learned = tl.convex_learning(covariances, problem, seeds=10).test_loss.mean("seed").squeeze()

# %%
figure, axes = plt.subplots(figsize=(6, 4))
replica.plot(ax=axes, marker="", label="replica equations")
learned.plot(ax=axes, marker="o", linestyle="", label="ridge regression, mean of 10 samples")
axes.legend()
axes.set_title("Test loss of custom features")
plt.close(figure)
figure

# %% [markdown]
# ## A phase diagram
#
# Each row follows SGD at several learning rates, here for two numbers of hidden units on the XOR mixture. The map shows
# the fraction of runs that leave the plateau.

# %%
rates = [0.05, 0.2, 0.8]
rows = [
    tl.phase_row(
        tl.Mixture(sigma=0.3),
        tl.Student("relu", hidden_units=units, dimension=200),
        tl.Schedule(learning_rate=0.1, weight_decay=0.01, last_time=60),
        along="learning_rate",
        values=rates,
        seeds=4,
    )
    for units in (2, 4)
]
success = np.array([row.success.mean("seed").values for row in rows])

# %%
figure, axes = plt.subplots(figsize=(6, 3))
shown = axes.imshow(success, vmin=0, vmax=1, aspect="auto")
axes.set(xticks=range(3), xticklabels=rates, yticks=range(2), yticklabels=[2, 4])
axes.set(xlabel="learning rate", ylabel="hidden units", title="Fraction of successful runs")
figure.colorbar(shown)
plt.close(figure)
figure
