"""The mixture with the moments of an image set."""

from pathlib import Path

import xarray as xr

from twolayer.experiments.mixture_inputs.parameters import ImageMixture
from twolayer.model.data.images import cluster_labels, load
from twolayer.model.mixtures.standard_mixtures import image_mixture, pooled_clusters
from twolayer.results.mixture import spectral_to_dataset


def run(config: ImageMixture, images: Path) -> xr.Dataset:
    """Return the mixture in the eigenbasis of its covariance, and the number of its images."""
    pixels, classes = load(images, config.dataset, "train")
    flat = pixels.reshape(len(pixels), -1).astype(float)
    clusters, labels = classes, cluster_labels(config.dataset)
    if config.clusters == "labels":
        clusters, labels = pooled_clusters(classes, labels)
    mixture, _ = image_mixture(flat, clusters, labels, config.ridge)
    return spectral_to_dataset(mixture).assign(images=len(pixels))
