"""Parameters of the tasks on random features of mixtures."""

from twolayer.experiments.mixtures.parameters import MIXTURES, Geometry, Schedule
from twolayer.model.feature_count import feature_count
from twolayer.parameters import ActivationLike, Count, Positive, Seed, Several, checked
from twolayer.results.layout import Layout
from twolayer.tasks import task


@task(
    "random_features",
    result=Layout(
        {
            "ratio projection sigma": "pmse class_error",
            "ratio projection closed_sigma": "closed_pmse? closed_class_error? simulated_pmse? "
            "simulated_pmse_sem? simulated_class_error? simulated_class_error_sem?",
            "": "input_dimension",
            "sigma": "oracle? oracle_sem?",
        },
        labels={"closed_sigma": "simulated_sigma", "ratio": "features_per_dimension"},
    ),
)
@checked
class RandomFeatures:
    """Optimal linear readout of random features.

    Attributes:
        sigma: noise levels.
        input_dimension: D.
        features_per_dimension: ratios F / D.
        projections: number of independent random projections.
        simulated_sigma: noise levels at which a readout is also tried on fresh samples; null for none.
        simulated_samples: number of fresh samples.
        seed: of projections and samples.
        geometry: where the clusters lie.
        activation: of the features.
        overlap_order: order of the feature covariance in the overlap of two projections; 1 is the paper's formula.
    """

    sigma: tuple[Positive, ...]
    input_dimension: Count
    features_per_dimension: tuple[Positive, ...]
    projections: Count = 3
    simulated_sigma: tuple[Positive, ...] | None = None
    simulated_samples: Several = 10_000
    seed: Seed = 0
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"
    overlap_order: Count = 4

    def __post_init__(self):
        for ratio in self.features_per_dimension:
            feature_count(ratio, self.input_dimension)


@task(
    "feature_cloud",
    result=Layout(
        {
            "cluster sample axis": "points",
            "cluster axis": "means sampled_means sampled_means_sem",
            "cluster axis other_axis": "covariances",
            "cluster": "labels",
            "": "sigma input_dimension features closed_class_error simulated_class_error simulated_class_error_sem",
        },
        meanings={
            "closed_class_error": "class error of the best linear readout of the points, in theory",
            "simulated_class_error": "class error of that readout on the points",
            "means": "means of the features of each cluster, in the space that they span",
            "covariances": "covariance of the features of each cluster",
        },
    ),
)
@checked
class FeatureSample:
    """What random features make of a mixture.

    Attributes:
        sigma: noise level.
        input_dimension: D.
        features_per_dimension: F / D.
        samples: points of each cluster.
        seed: of projection and points.
        geometry: where the clusters lie.
        activation: of the features.
    """

    sigma: Positive
    input_dimension: Count
    features_per_dimension: Positive
    samples: Several
    seed: Seed = 0
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"

    def __post_init__(self):
        feature_count(self.features_per_dimension, self.input_dimension)


@task(
    "readout_training",
    result=Layout(
        {
            "seed time": "pmse class_error",
            "": "optimum_pmse optimum_class_error sigma",
        },
    ),
)
@checked
class ReadoutTraining:
    """Train the readout of random features online.

    Attributes:
        sigma: noise level.
        input_dimension: D.
        features_per_dimension: F / D.
        schedule: with times in steps / D; the readout starts at zero.
        seeds: number of independent data streams, all with the same features.
        seed: of projection and streams.
        geometry: where the clusters lie.
        activation: of the features.
    """

    sigma: Positive
    input_dimension: Count
    features_per_dimension: Positive
    schedule: Schedule
    seeds: Count = 10
    seed: Seed = 0
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"

    def __post_init__(self):
        feature_count(self.features_per_dimension, self.input_dimension)


@task(
    "feature_readout",
    inputs={"mixture": MIXTURES},
    result=Layout(
        {
            "ratio projection": "pmse class_error simulated_pmse simulated_pmse_sem simulated_class_error "
            "simulated_class_error_sem",
            "": "input_dimension oracle oracle_sem",
        },
        labels={"ratio": "features_per_dimension"},
    ),
)
@checked
class FeatureReadout:
    """Optimal linear readout of random features of any mixture: in closed form, and on fresh inputs.

    Attributes:
        features_per_dimension: ratios F / D, with D the dimension of the mixture.
        projections: number of independent random projections.
        simulated_samples: number of fresh inputs.
        seed: of projections and inputs.
        activation: of the features.
        overlap_order: order of the feature covariance in the overlap of two projections.
    """

    features_per_dimension: tuple[Positive, ...]
    projections: Count = 3
    simulated_samples: Several = 10_000
    seed: Seed = 0
    activation: ActivationLike = "relu"
    overlap_order: Count = 4


@task(
    "feature_training",
    inputs={"mixture": MIXTURES},
    result=Layout({"seed time": "pmse class_error", "": "input_dimension optimum_pmse optimum_class_error"}),
)
@checked
class FeatureTraining:
    """Train the readout of random features of any mixture online.

    Attributes:
        features_per_dimension: F / D, with D the dimension of the mixture.
        schedule: with times in steps / D; the readout starts at zero.
        seeds: number of independent data streams, all with the same features.
        seed: of projection and streams.
        activation: of the features.
    """

    features_per_dimension: Positive
    schedule: Schedule
    seeds: Count = 10
    seed: Seed = 0
    activation: ActivationLike = "relu"
