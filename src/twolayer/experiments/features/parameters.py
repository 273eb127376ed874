"""Parameters of the tasks on random features of mixtures."""

from dataclasses import dataclass
from typing import Literal

from twolayer.experiments.mixtures.parameters import Geometry, Schedule
from twolayer.parameters import Count, Positive, Seed
from twolayer.results.layout import Layout
from twolayer.tasks import task


@task(
    "random_features",
    result=Layout(
        {
            "ratio projection sigma": "pmse class_error",
            "ratio projection closed_sigma": "closed_pmse closed_class_error simulated_pmse "
            "simulated_pmse_sem simulated_class_error simulated_class_error_sem",
            "": "input_dimension",
            "sigma": "oracle? oracle_sem?",
        },
        labels={"closed_sigma": "simulated_sigma", "ratio": "features_per_dimension"},
    ),
)
@dataclass(frozen=True)
class RandomFeatures:
    """Optimal linear readout of random features.

    Attributes:
        sigma: noise levels.
        input_dimension: D.
        features_per_dimension: ratios F / D.
        projections: number of independent random projections.
        overlap_order: order of the feature covariance in the overlap of two projections; 1 is the paper's formula.
        simulated_sigma: noise levels at which a readout is also tried on fresh samples.
        simulated_samples: number of fresh samples.
        seed: of projections and samples.
    """

    sigma: tuple[Positive, ...]
    input_dimension: Count
    features_per_dimension: tuple[Positive, ...]
    projections: Count
    simulated_sigma: tuple[Positive, ...]
    simulated_samples: Count
    seed: Seed
    geometry: Geometry = Geometry()
    activation: Literal["relu", "erf", "linear"] = "relu"
    overlap_order: Count = 4


@task(
    "feature_cloud",
    result=Layout(
        {
            "cluster sample axis": "points",
            "cluster axis": "means sampled_means sampled_means_sem",
            "cluster axis other_axis": "covariances",
            "cluster": "labels",
            "": "sigma input_dimension features",
        },
        meanings={
            "means": "means of the features of each cluster, in the space that they span",
            "covariances": "covariance of the features of each cluster",
        },
    ),
)
@dataclass(frozen=True)
class FeatureCloud:
    """What random features make of a mixture.

    Attributes:
        sigma: noise level.
        input_dimension: D.
        features_per_dimension: F / D.
        samples: points of each cluster.
        seed: of projection and points.
    """

    sigma: Positive
    input_dimension: Count
    features_per_dimension: Positive
    samples: Count
    seed: Seed
    geometry: Geometry = Geometry()
    activation: Literal["relu", "erf", "linear"] = "relu"


@task(
    "readout_training",
    result=Layout(
        {
            "seed time": "pmse class_error",
            "": "optimum_pmse optimum_class_error sigma",
        },
    ),
)
@dataclass(frozen=True)
class ReadoutTraining:
    """Train the readout of random features online.

    Attributes:
        sigma: noise level.
        input_dimension: D.
        features_per_dimension: F / D.
        schedule: with times in steps / D; the readout starts at zero.
        seeds: number of independent data streams, all with the same features.
        seed: of projection and streams.
    """

    sigma: Positive
    input_dimension: Count
    features_per_dimension: Positive
    schedule: Schedule
    seeds: Count
    seed: Seed
    geometry: Geometry = Geometry()
    activation: Literal["relu", "erf", "linear"] = "relu"
