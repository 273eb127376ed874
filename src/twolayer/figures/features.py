"""Figures of goldt2021 on features of generated and real inputs: when they act like Gaussian ones."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

CASES = {
    "generic": ("generic weights", "#4477AA", "o"),
    "few_latents": ("four latents", "#EE6677", "s"),
    "localised": ("student units on one input each", "#228833", "^"),
    "low_rank": ("generator of low rank", "#CCBB44", "D"),
    "aligned": ("low rank, student aligned", "#AA3377", "v"),
}


def fig32(results: Mapping[str, xr.Dataset]) -> Figure:
    """Distance and kurtosis of the local fields against the input dimension, for each case."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.0), sharex=True)
    equivalence = results["equivalence"]
    names = {"distance": r"distance $W_1$ from the Gaussian law", "kurtosis": "|excess kurtosis|"}
    for axes, (quantity, name) in zip(panels, names.items(), strict=True):
        for case, (label, colour, marker) in CASES.items():
            samples = equivalence[quantity].sel(case=case)
            error = samples.std("seed", ddof=1) / np.sqrt(samples.sizes["seed"])
            style = {"marker": marker, "markersize": 3, "linewidth": 0.9, "color": colour}
            axes.errorbar(samples["dimension"], samples.mean("seed"), error, label=label, **style)
        floor = float(equivalence[f"floor_{quantity}"].mean())
        axes.axhline(floor, color="black", linestyle="--", linewidth=0.8, label="Gaussian samples, as many")
        axes.set(yscale="log", xlabel="input dimension $N$", ylabel=name)
        axes.set_xscale("log", base=2)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)
    return figure
