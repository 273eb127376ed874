"""Variable projection on custom data with custom features."""

import matplotlib.pyplot as plt
import numpy as np

import twolayer as tl

rng = np.random.default_rng(0)
inputs = rng.uniform(-2, 2, (400, 2))
targets = np.sin(2 * inputs[:, 0]) * inputs[:, 1]
settings = {"activation": lambda field: np.sin(2 * field), "width": 100, "ridge": 1e-2}
settings["descent"] = tl.Descent(iterations=100, step=0.001, every=10)
tl.variable_projection(inputs, targets, **settings).pmse.plot(label="variable projection")
tl.two_timescale(inputs, targets, **settings).pmse.plot(label="two timescales")
plt.savefig("variable_projection.pdf")
