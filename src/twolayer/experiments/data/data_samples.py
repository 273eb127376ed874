"""Data of one's own, with their covariances."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import xarray as xr

from twolayer.errors import DataError
from twolayer.experiments.data.parameters import DataSamples
from twolayer.model.activations import as_activation
from twolayer.model.data_files import Blocks, Layout, sample_blocks
from twolayer.model.images import SPLITS, TITLES, cluster_labels, grey_images, load
from twolayer.model.input_features import InputFeatures, unit_fields
from twolayer.parameters import shown
from twolayer.results.covariates import samples_to_dataset
from twolayer.simulation.sampled_covariates import sampled_covariates
from twolayer.theory.random_features import random_projection

_BLOCK = 4096  # samples
_FEWEST = 2  # samples per feature below which covariances are mostly noise
_FEW = 5  # that an error names


def run(config: DataSamples, images: Path | None = None) -> xr.Dataset:
    """Field, class and features of each sample, and the covariances over all of them."""
    name, blocks = _source(config, images)
    features, values = _gathered(blocks, _mapping(config), name)
    labels, classes = _two_valued(values, _positive(config, images), name)
    features, dropped = _varying(features, config.drop_constant, name)
    n, d = features.shape
    if n < _FEWEST * d:
        raise DataError(
            f"{name} has {n} samples of {d} features, whose covariances are mostly noise: give at least {_FEWEST * d}, "
            f"or set map to at most {n // _FEWEST} random_features"
        )
    features /= np.sqrt(np.mean(features.var(axis=0, dtype=float)))
    field = labels - labels.mean()
    pairs = ((field[start : start + _BLOCK, None], features[start : start + _BLOCK]) for start in range(0, n, _BLOCK))
    covariates, mean = sampled_covariates(((u, v.astype(float)) for u, v in pairs), np.ones(1), d)
    features -= mean.astype(np.float32)
    dataset = samples_to_dataset(covariates, field, features).assign(classes=("sample", classes), dropped=dropped)
    return dataset.assign_attrs(law=f"{n:,} samples of {name}")


def _source(config: DataSamples, images: Path | None) -> tuple[str, Blocks]:
    """What the data are called, and their blocks."""
    if config.file is not None:
        return config.file, sample_blocks(Path(config.file), Layout(config.features, config.labels, config.size))
    if config.dataset == "digits":
        from sklearn.datasets import load_digits

        digits = load_digits()
        return "digits", iter([(digits.data, digits.target)])
    sets = [load(images, config.dataset, split) for split in SPLITS]
    return TITLES[config.dataset], ((grey_images(pixels), labels) for pixels, labels in sets)


def _positive(config: DataSamples, images: Path | None) -> tuple[str, ...] | None:
    """The values of the label that count as 1."""
    if config.positive is not None or config.file is not None:
        return config.positive
    signs = cluster_labels("mnist" if config.dataset == "digits" else config.dataset)
    return tuple(str(value) for value in np.flatnonzero(signs > 0))


def _mapping(config: DataSamples) -> Callable[[np.ndarray], Callable[[np.ndarray], np.ndarray]]:
    """From the first block to the map of all."""
    if config.map.module is not None:
        from twolayer.model.own_modules import module_features, named_module  # needs torch

        features = module_features(named_module(config.map.module))
        return lambda _: features
    if config.map.random_features is None:
        return lambda _: lambda inputs: inputs

    def random(first):
        rng = np.random.default_rng(config.seed)
        projection = unit_fields(random_projection(rng, first.shape[1], config.map.random_features), first)
        return InputFeatures(projection, first.mean(axis=0), as_activation(config.map.activation))

    return random


def _gathered(blocks, mapping, name):
    """Features (n, d) in single precision, and the labels (n,) as they stand there."""
    features, labels, mapped, count = [], [], None, 0
    for inputs, values in blocks:
        if not np.isfinite(inputs).all():
            row, column = np.argwhere(~np.isfinite(inputs))[0]
            raise DataError(
                f"{name} holds {inputs[row, column]} in feature {column} of sample {count + row}, both counted from 0: "
                "fill it in, or take the sample out"
            )
        mapped = mapped or mapping(inputs)
        features.append(mapped(inputs).astype(np.float32))
        labels.append(values)
        count += len(values)
    if count < 2:
        raise DataError(f"{name} has {count} samples: give at least 2")
    if not all(np.isfinite(block).all() for block in features):
        raise DataError(f"the features that map makes of {name} are not all finite numbers: correct the map")
    return np.concatenate(features), np.concatenate(labels)


def _two_valued(values, positive, name):
    """Labels -1 and 1 (n,), and the number of the class of each sample."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise DataError(f"{name} has the label {values[~np.isfinite(values)][0]}: give every sample its label")
    found, classes = np.unique(values, return_inverse=True)
    names = [f"{value:g}" if isinstance(value, np.number) else str(value) for value in found]
    if len(names) < 2:
        raise DataError(f"all labels of {name} are {shown(names[0])}: give samples of two classes")
    if positive is None:
        if len(names) > 2:
            some = ", ".join(names[:_FEW]) + (", ..." if len(names) > _FEW else "")
            raise DataError(
                f"the labels of {name} take {len(names)} values ({some}): list in positive those that count as 1"
            )
        positive = names[1:]
    if unknown := sorted(set(positive) - set(names)):
        raise DataError(
            f"positive lists {shown(unknown[0])}, which is no label of {name}: it has {', '.join(names[:20])}"
        )
    signs = np.where(np.isin(names, positive), 1.0, -1.0)
    if np.ptp(signs) == 0:
        raise DataError(f"positive lists all labels of {name}: leave some to count as -1")
    return signs[classes], classes


def _varying(features, drop, name):
    """The features that vary, and how many do not."""
    constant = np.flatnonzero(np.ptp(features, axis=0) == 0)
    if len(constant) and not drop:
        some = ", ".join(map(str, constant[:_FEW])) + (", ..." if len(constant) > _FEW else "")
        raise DataError(
            f"{len(constant)} features of {name} never change (number {some}, from 0): set drop_constant to true to "
            "leave them out"
        )
    if len(constant) == features.shape[1]:
        raise DataError(f"no feature of {name} ever changes: give others")
    return np.delete(features, constant, axis=1), len(constant)
