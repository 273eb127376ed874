"""Random features and the Bayes error against noise, for a custom mixture."""

import matplotlib.pyplot as plt
import numpy as np

import twolayer as tl

mixture = tl.Mixture(means=[[1.5, 0], [-0.5, 1], [-0.5, -1]], labels=[1, -1, -1], weights=[0.5, 0.3, 0.2], sigma=0.6)
noise = np.geomspace(0.1, 3, 12)
features = tl.random_features(mixture, sigma=noise, input_dimension=90, features_per_dimension=[2.0], activation="tanh")
features.class_error.mean("projection").plot(xscale="log")
tl.bayes_error(mixture, sigma=noise).bayes_error.plot()
plt.savefig("random_features.pdf")
