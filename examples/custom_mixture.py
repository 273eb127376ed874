"""Equations of motion against online SGD, for a custom mixture."""

import matplotlib.pyplot as plt

import twolayer as tl

mixture = tl.Mixture(means=[[1.5, 0], [-0.5, 1], [-0.5, -1]], labels=[1, -1, -1], weights=[0.5, 0.3, 0.2], sigma=0.6)
student = tl.Student("erf", hidden_units=3, dimension=500, seed=0)
schedule = tl.Schedule(learning_rate=0.2, weight_decay=0.01, last_time=100)

theory = tl.learning_curve(mixture, student, schedule)
runs = tl.online_sgd(mixture, student, schedule, seeds=10)
theory.pmse.plot(xscale="log")
runs.pmse.mean("seed").plot(linestyle="", marker="o")
plt.savefig("custom_mixture.pdf")
