"""Replica theory of custom features and labels. A warning states that there are few samples for the features."""

import matplotlib.pyplot as plt
import numpy as np

import twolayer as tl

inputs = np.random.default_rng(0).standard_normal((2000, 40))
labels = np.sign(inputs[:, 0] + 0.5 * inputs[:, 1])
features = np.tanh(inputs @ np.random.default_rng(1).standard_normal((40, 100)) / 6)
measured = tl.feature_covariances(features, labels)
problem = tl.ConvexProblem(sample_ratios=[0.3, 0.6, 1, 1.5, 2], ridges=[0.1], losses=["square"], labels="linear")
tl.replica(measured, problem).test_loss.plot(marker="")
tl.convex_learning(measured, problem, seeds=10).test_loss.mean("seed").plot(marker="o", linestyle="")
plt.savefig("custom_features.pdf")
