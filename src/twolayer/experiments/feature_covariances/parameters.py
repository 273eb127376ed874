"""Parameters of the tasks that compute covariances of features, of a teacher or of labels."""

from typing import Literal

from twolayer.experiments.generators.parameters import GENERATORS
from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.model.networks.feature_count import feature_count
from twolayer.parameters import Count, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

# the tasks that create the covariances of a set of samples, and all tasks that create covariances
SETS = "data_samples image_feature_covariances feature_covariances"
FEATURE_COVARIANCES = (
    "gaussian_feature_covariances random_feature_covariances mixture_feature_covariances generated_feature_covariances "
    + SETS
)

# Parts of layouts.
MOMENTS = {"latent other_latent": "Psi", "latent feature": "Phi", "feature other_feature": "Omega", "latent": "teacher"}
_RANDOM_FEATURES = {**MOMENTS, "input feature": "projection", "feature": "feature_mean"}
OF_LABELS = {  # meanings if the labels of samples are the latents
    "Psi": "variance of the labels",
    "Phi": "covariance of labels and features",
    "Omega": "covariance of the features",
}


@task("gaussian_feature_covariances", result=Layout(MOMENTS))
@checked
class GaussianFeatureCovariances:
    """Define Gaussian and independent features, which teacher and student share.

    Attributes:
        dimension: d.
        exponent: exponent of the variances, i^-exponent with mean one; 0 is the isotropic case.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> data = tl.gaussian_feature_covariances(dimension=4, exponent=1)
        >>> np.diag(data.Omega).round(2).tolist()
        [1.92, 0.96, 0.64, 0.48]

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    dimension: Count
    exponent: NonNegative = 0.0


@task("random_feature_covariances", result=Layout(_RANDOM_FEATURES))
@checked
class RandomFeatureCovariances:
    """Compute the covariances of random features of the Gaussian latents of a teacher.

    Attributes:
        latent_dimension: D. features: d.
        activation: activation of the features.
        degree: degree of the features in their field, 1 for the Gaussian equivalence of the paper.
        seed: seed of projection and teacher.

    Example:
        >>> import twolayer as tl
        >>> data = tl.random_feature_covariances(latent_dimension=10, features=20)
        >>> dict(data.Phi.sizes)
        {'latent': 10, 'feature': 20}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    latent_dimension: Count
    features: Count
    seed: Seed = 0
    activation: ActivationLike = "erf"
    degree: Count = 1


@task(
    "mixture_feature_covariances",
    result=Layout({**_RANDOM_FEATURES, "cluster axis": "means", "": "pmse", "cluster": "labels weights variance"}),
)
@checked
class MixtureFeatureCovariances:
    """Compute the covariances of random features of an isotropic mixture, centred, with its labels.

    Attributes:
        sigma: noise level.
        input_dimension: D.
        features_per_dimension: d / D.
        activation: activation of the features.
        overlap_order: order of the feature covariance in the overlap of two projections.
        ridge: ridge of the closed form for infinitely many samples, which the result also has.
        seed: seed of the projection.
        geometry: arrangement of the clusters.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=50)
        >>> data = tl.mixture_feature_covariances(mixture, features_per_dimension=2)
        >>> dict(data.Omega.sizes), float(data.pmse.round(2))
        ({'feature': 100, 'other_feature': 100}, 0.45)

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    sigma: Positive
    input_dimension: Count
    features_per_dimension: Positive
    seed: Seed = 0
    geometry: Geometry = Geometry()
    activation: ActivationLike = "relu"
    overlap_order: Count = 4
    ridge: NonNegative = 1e-6

    def __post_init__(self):
        feature_count(self.features_per_dimension, self.input_dimension)


@task(
    "generated_feature_covariances",
    inputs={"generator": GENERATORS},
    result=Layout({**_RANDOM_FEATURES, "input": "input_mean"}),
)
@checked
class GeneratedFeatureCovariances:
    """Estimate the covariances of random features of generated inputs, with a teacher of the latents.

    Attributes:
        features: d.
        samples: number of inputs from which the covariances are estimated.
        activation: activation of the features.
        seed: seed of projection, teacher and samples.

    Example:
        >>> import twolayer as tl
        >>> generator = tl.sign_generator(widths=[20, 50])
        >>> data = tl.generated_feature_covariances(generator, features=30, samples=2000)
        >>> dict(data.Omega.sizes)
        {'feature': 30, 'other_feature': 30}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    features: Count
    samples: Several
    seed: Seed = 0
    activation: ActivationLike = "erf"


@task(
    "image_feature_covariances",
    images=("train",),
    result=Layout(
        {**MOMENTS, "sample": "field", "sample feature": "features"},
        meanings={"features": "features of each sample, centred"},
    ),
)
@checked
class ImageFeatureCovariances:
    """Compute the covariances of random features of real grey images, drawn from a set with replacement.

    Attributes:
        dataset: image set whose training images are used.
        features: d. activation: activation of the features.
        labels: the field is the centred two-class label (`classes`), the field of a random teacher on the pixels
            (`pixels`), the centred sign of this field (`signs`), or the centred output of a two-layer network that was
            trained on the classes (`network`).
        seed: seed of projection and teacher.

    Example:
        >>> import twolayer as tl
        >>> data = tl.image_feature_covariances("images", dataset="mnist", features=10)
        >>> dict(data.features.sizes)
        {'sample': 2000, 'feature': 10}

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    dataset: Literal["mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"]
    features: Count
    seed: Seed = 0
    labels: Literal["classes", "pixels", "signs", "network"] = "classes"
    activation: ActivationLike = "erf"


@task(
    "feature_covariances",
    arrays=("features", "labels"),
    result=Layout(
        {**MOMENTS, "sample": "field", "sample feature": "features"},
        meanings={
            **OF_LABELS,
            "field": "label of each sample, centred",
            "features": "features of each sample, centred",
        },
    ),
)
@checked
class CustomFeatureCovariances:
    """Estimate the covariances of custom features and labels from samples.

    Features and labels are centred. The labels may have any distribution, such as -1 and 1. Their theory is the theory
    of `ConvexProblem(labels="linear", losses=["square"])`, which depends only on these covariances. There is a warning
    (`SmallSample`) if samples are so few that the error of the eigenvalues of Omega exceeds a fifth.

    Attributes:
        features: (n, d), one sample in each row.
        labels: (n,), or (n, 1).
        standardize: scale every feature to a variance of one, so that its unit does not matter.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> rng = np.random.default_rng(0)
        >>> features = rng.standard_normal((400, 5))
        >>> labels = np.where(features[:, 0] + 0.5 * rng.standard_normal(400) > 0, 1, -1)
        >>> data = tl.feature_covariances(features, labels)
        >>> data.Omega.shape, float(data.Phi[0, 0].round(1))
        ((5, 5), 0.7)

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    standardize: bool = False
