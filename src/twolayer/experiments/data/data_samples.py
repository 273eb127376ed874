"""Custom data, with their covariances."""

import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from twolayer.errors import DataError
from twolayer.experiments.data.labels import two_valued
from twolayer.experiments.data.parameters import DataSamples
from twolayer.experiments.samples import never_changes
from twolayer.model.data.data_files import Blocks, sample_blocks
from twolayer.model.data.images import SPLITS, TITLES, cluster_labels, grey_images, load
from twolayer.model.data.sample_layout import Layout
from twolayer.model.networks.activations import as_activation
from twolayer.model.networks.input_features import InputFeatures
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.results.feature_covariances import samples_to_dataset
from twolayer.simulation.teacher_student.moments import StreamedMoments, sampled_covariances
from twolayer.theory.mixtures.random_features import random_projection

log = logging.getLogger("twolayer")

_BLOCK = 4096  # number of samples that are read at a time
_FEWEST = 2  # samples per feature below which covariances are mostly noise
_LEAST = 20  # smallest number of samples
_FEW = 5  # number of names in an error message
_LARGEST, _SMALLEST = 1e30, 1e-30  # range of features, which are stored in single precision
_SPREAD = 1e-25  # ratio of deviations above which single precision represents both features
_DOMINANT = 0.5  # fraction of the variance above which one direction dominates
_WIDEST = 4096  # largest number of inputs of random features whose covariances are computed
_ROUNDING = 8  # factor of the relative precision: a feature that varies by less is constant
_PER_RANDOM_FEATURE = 10  # samples per random feature, if the number of random features is fitted to the data


def run(config: DataSamples, images: Path | None = None) -> xr.Dataset:
    """Return field, class and features of each sample, and the covariances over all of them."""
    name, read = _source(config, images)
    mapping, standardized = _mapping(config, name, read)
    features, values = _gathered(read(), mapping, name)
    labels, classes = two_valued(values, _positive(config, images), config.threshold, name)
    features, dropped = _varying(features, config.drop_constant, name)
    n, d = features.shape
    if n < max(_FEWEST * d, _LEAST):
        raise DataError(_too_few(n, d, name))
    features /= _mean_deviation(features, name)
    field = labels - labels.mean()
    pairs = ((field[start : start + _BLOCK, None], features[start : start + _BLOCK]) for start in range(0, n, _BLOCK))
    feature_covariances, mean = sampled_covariances(((u, v.astype(float)) for u, v in pairs), np.ones(1), d)
    features -= mean.astype(np.float32)
    if config.map.random_features is None and _to_standardize(config, name, lambda: feature_covariances.Omega):
        feature_covariances, standardized = _standardize(feature_covariances, features), True
    dataset = samples_to_dataset(feature_covariances, field, features).assign(
        classes=("sample", classes), dropped=dropped
    )
    distribution = f"{n:,} samples of {name}" + (", standardized" if standardized else "")
    return dataset.assign_attrs(distribution=distribution)


def _mean_deviation(features, name):
    """Return the root of the mean variance of the features."""
    variances = features.var(axis=0, dtype=float)
    if variances.min() < _SPREAD**2 * variances.max():
        raise DataError(
            f"feature {variances.argmin()} of {name} (counted from 0) varies by less than {_SPREAD:g} of what feature "
            f"{variances.argmax()} does: give them in other units"
        )
    return np.sqrt(variances.mean())


def _too_few(n, d, name):
    if n < _LEAST:
        return f"{name} has {n} samples: give at least {_LEAST}"
    return (
        f"{name} has {n} samples of {d} features, whose covariances are mostly noise: give at least {_FEWEST * d}, "
        f"or set map to at most {n // _FEWEST} random_features"
    )


def _source(config: DataSamples, images: Path | None) -> tuple[str, Callable[[], Blocks]]:
    """Return the name of the data, and a function that reads their blocks."""
    if config.file is not None:
        layout = Layout(config.features, config.labels, config.leave_out or (), config.size)
        return config.file, lambda: sample_blocks(Path(config.file), layout)
    if config.dataset == "digits":
        from sklearn.datasets import load_digits

        digits = load_digits()
        return "digits", lambda: iter([(digits.data, digits.target)])
    sets = [load(images, config.dataset, split) for split in SPLITS]
    return TITLES[config.dataset], lambda: ((grey_images(pixels), labels) for pixels, labels in sets)


def _positive(config: DataSamples, images: Path | None) -> tuple[str, ...] | None:
    """Return the values of the label that count as 1."""
    if config.positive is not None or config.file is not None:
        return config.positive
    signs = cluster_labels("mnist" if config.dataset == "digits" else config.dataset)
    return tuple(str(value) for value in np.flatnonzero(signs > 0))


def _mapping(config: DataSamples, name: str, read: Callable[[], Blocks]) -> tuple[Callable, bool]:
    """Return the map from inputs to features, and whether it standardizes the inputs."""
    if config.map.module is not None:
        from twolayer.model.generators.custom_generators import module_features, named_module  # needs torch

        return module_features(named_module(config.map.module)), False
    if config.map.random_features is None:
        return lambda inputs: inputs, False
    # The inputs of a known data set are scaled by its training samples, the inputs of a file by all samples.
    blocks = read() if config.file is not None else itertools.islice(read(), 1)
    inputs = _surveyed(blocks, name, with_covariances=config.standardize is None and _has_units(config))
    standardized = _to_standardize(config, name, inputs.covariance)
    return _random_features(config, inputs, standardized, name), standardized


@dataclass
class _Inputs:
    """Number, means (N,) and variances (N,) of samples, and their covariances if N is small enough."""

    count: int
    mean: np.ndarray
    variance: np.ndarray
    moments: StreamedMoments | None

    def covariance(self) -> np.ndarray:
        """Return the covariance (N, N), or only variances (N,) if N is large."""
        return np.diag(self.variance) if self.moments is None else self.moments.result().Omega


def _surveyed(blocks: Blocks, name: str, *, with_covariances: bool) -> _Inputs:
    """Return the moments of all inputs."""
    found = None
    for inputs, _ in _finite(blocks, name):
        mean, count = inputs.mean(axis=0, dtype=float), len(inputs)
        if found is None:
            moments = StreamedMoments(len(mean), 0) if with_covariances and len(mean) <= _WIDEST else None
            found = _Inputs(0, np.zeros_like(mean), np.zeros_like(mean), moments)
        total = found.count + count
        squares = found.count * found.variance + count * inputs.var(axis=0)
        squares += (mean - found.mean) ** 2 * (found.count * count / total)
        found.mean = found.mean + (mean - found.mean) * (count / total)
        found.variance, found.count = squares / total, total
        if found.moments is not None:
            found.moments.update(inputs, np.empty((count, 0)))
    if found is None:
        raise DataError(f"{name} has 0 samples: give at least {_LEAST}")
    return found


def _random_features(config, inputs, standardized, name):
    """Return random features of inputs that are centred, with a mean variance of one."""
    number, rng = config.map.random_features, np.random.default_rng(config.seed)
    if config.map.fit_to_data and number > (most := max(inputs.count // _PER_RANDOM_FEATURE, 2)):
        log.warning("%s has %d samples: map makes %d random features instead of %d", name, inputs.count, most, number)
        number = most
    projection = random_projection(rng, len(inputs.mean), number)
    if standardized:
        deviations = np.sqrt(inputs.variance)
        varying = deviations > _ROUNDING * np.finfo(float).eps * np.abs(inputs.mean)
        projection = projection / np.where(varying, deviations, np.inf)[:, None] / np.sqrt(varying.mean())
    else:
        projection = projection / np.sqrt(inputs.variance.mean())
    return InputFeatures(projection, inputs.mean, as_activation(config.map.activation))


def _to_standardize(config: DataSamples, name: str, covariance: Callable[[], np.ndarray]) -> bool:
    """Return whether the features are standardized: as configured, or if one direction dominates a file of arrays."""
    if config.standardize is not None:
        return config.standardize
    if not _has_units(config):
        return False
    share = dominant_share(covariance())
    if share > _DOMINANT:
        log.warning(
            "%s: one direction has %.0f %% of the variance of the features, which depends on their units. The "
            "features are "
            "standardized. Set standardize to false to keep their units.",
            name,
            100 * share,
        )
    return share > _DOMINANT


def _has_units(config):
    """Return whether the features may have different units. Pixels have the same units."""
    return config.file is not None and not Path(config.file).expanduser().is_dir()


def dominant_share(covariance: np.ndarray) -> float:
    """Return the fraction of the variance along the direction with the largest variance."""
    return float(np.linalg.eigvalsh(covariance)[-1] / np.trace(covariance))


def _standardize(feature_covariances: CovariateModel, features: np.ndarray) -> CovariateModel:
    """Scale the features (n, d), in place, to a variance of one each, and return their covariances."""
    deviations = np.sqrt(np.diag(feature_covariances.Omega))
    features /= deviations.astype(np.float32)
    Omega = feature_covariances.Omega / np.outer(deviations, deviations)
    return CovariateModel(
        feature_covariances.Psi, feature_covariances.Phi / deviations, Omega, feature_covariances.teacher
    )


def _finite(blocks, name):
    """Yield blocks whose inputs are finite numbers, else raise an error."""
    count = 0
    for inputs, values in blocks:
        if not np.isfinite(inputs).all():
            row, column = np.argwhere(~np.isfinite(inputs))[0]
            raise DataError(
                f"{name} has {inputs[row, column]} in feature {column} of sample {count + row}, both counted from 0: "
                "replace it, or remove the sample"
            )
        count += len(values)
        yield inputs, values


def _gathered(blocks, mapping, name):
    """Return features (n, d) in single precision, minus a mean so that no offset costs digits, and labels (n,)."""
    features, labels, shift, precision = [], [], None, np.finfo(float)
    low, high = np.inf, -np.inf
    for inputs, values in _finite(blocks, name):
        mapped = mapping(inputs)
        if not np.isfinite(mapped).all():
            raise DataError(f"map gives features of {name} that are not finite numbers: correct the map")
        if (largest := np.abs(mapped).max()) > _LARGEST:
            raise DataError(f"{name} has a feature of {largest:.3g}: give numbers below {_LARGEST:g} in size")
        if shift is None:
            shift, precision = mapped.mean(axis=0, dtype=float), np.finfo(mapped.dtype)
        low, high = np.minimum(low, mapped.min(axis=0)), np.maximum(high, mapped.max(axis=0))
        features.append((mapped - shift).astype(np.float32))
        labels.append(values)
    if (count := sum(map(len, labels))) < 2:
        raise DataError(f"{name} has {count} samples: give at least {_LEAST}")
    features = np.concatenate(features)
    constant = never_changes(low, high, precision.eps)
    if (small := np.flatnonzero(~constant & (high - low < _SMALLEST))).size:
        raise DataError(
            f"feature {small[0]} of {name} (counted from 0) varies by less than {_SMALLEST:g}: give it in another unit"
        )
    features[:, constant] = 0  # constant up to rounding
    return features, np.concatenate([np.asarray(one, str) for one in labels] if _texts(labels) else labels)


def _texts(labels):
    """Return whether the labels of any block are texts. Then all labels count as texts."""
    return any(block.dtype.kind == "U" for block in labels)


def _varying(features, drop, name):
    """Return the features that vary, and the number of constant features."""
    constant = np.flatnonzero(np.ptp(features, axis=0) == 0)
    if len(constant) and not drop:
        some = ", ".join(map(str, constant[:_FEW])) + (", ..." if len(constant) > _FEW else "")
        raise DataError(
            f"{len(constant)} features of {name} are constant (number {some}, counted from 0): set drop_constant to "
            "true to "
            "leave them out"
        )
    if len(constant) == features.shape[1]:
        raise DataError(f"all features of {name} are constant: give features that vary")
    features = np.delete(features, constant, axis=1)
    for place in range(features.shape[1]):
        if _counts(features[:, place]):
            raise DataError(
                f"feature {place} of {name} (counted from 0) numbers the samples: leave it out, since it contains "
                "only their order in a list"
            )
    return features, len(constant)


def _counts(values: np.ndarray) -> bool:
    """Return whether some values (n,) are n numbers with equal steps, in any order."""
    count, step = len(values), np.ptp(values) / max(len(values) - 1, 1)
    spread = step * np.sqrt((count**2 - 1) / 12)
    if count < _LEAST or not np.isclose(values.std(dtype=float), spread, rtol=1e-3):  # this check needs no sorting
        return False
    return bool(np.allclose(np.diff(np.sort(values)), step, rtol=0.01 + count * np.finfo(np.float32).eps, atol=0))
