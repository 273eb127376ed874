"""One gradient step of a network of swish units, and its Hermite model."""

import matplotlib.pyplot as plt

import twolayer as tl

data = tl.SpikedData(input_dimension=150, samples=200, beta=0.7)
widths = tl.Axes(width=[0.25, 0.5, 1.0, 2.0])
errors = tl.one_step_simulation(data, widths, seeds=5, activations=["swish"])
errors.network.mean("seed").plot(marker="o", linestyle="")
errors.hermite.mean("seed").plot()
plt.savefig("one_step.pdf")
