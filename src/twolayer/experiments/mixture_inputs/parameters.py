"""Parameters of the tasks that create or describe a Gaussian mixture."""

from typing import Annotated, Literal

from twolayer.experiments.mixture_inputs.geometry import Geometry
from twolayer.experiments.tasks import task
from twolayer.parameters import Bounds, Count, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

# the tasks that create a mixture
MIXTURES = "isotropic_mixture random_mixture random_covariances image_mixture data_mixture"


@task(
    "isotropic_mixture",
    result=Layout({"cluster axis": "means", "cluster": "labels weights variance", "": "input_dimension?"}),
)
@checked
class IsotropicClusters:
    """Define a mixture with the same noise in every direction.

    Attributes:
        sigma: noise of a coordinate; in the low regime 1/sigma is the signal-to-noise ratio.
        input_dimension: N of simulations with this mixture; null leaves the choice to the student.
        geometry: arrangement of the clusters.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.isotropic_mixture(tl.Mixture(shape="xor", sigma=0.5))
        >>> mixture.labels.values.tolist(), mixture.variance.values.tolist()
        ([-1.0, -1.0, 1.0, 1.0], [0.25, 0.25, 0.25, 0.25])

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    sigma: Positive
    input_dimension: Count | None = None
    geometry: Geometry = Geometry()


@task(
    "mixture_sample",
    result=Layout({"cluster sample axis": "points", "cluster axis": "means", "cluster": "labels", "": "sigma"}),
)
@checked
class MixtureSample:
    """Draw points of an isotropic mixture in the space of its means.

    Attributes:
        sigma: noise of a coordinate.
        samples: number of points of each cluster.
        seed: seed of the draw.
        geometry: arrangement of the clusters.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(shape="xor", sigma=0.5, dimension=50)
        >>> sample = tl.mixture_sample(mixture, samples=10)
        >>> dict(sample.points.sizes)
        {'cluster': 4, 'sample': 10, 'axis': 2}

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    sigma: Positive
    samples: Count
    seed: Seed = 0
    geometry: Geometry = Geometry()


@task("bayes_error", inputs={"mixture": MIXTURES}, result=Layout({"sigma": "bayes_error bayes_error_sem"}))
@checked
class BayesError:
    """Compute the least class error of any classifier, by quadrature over the inputs.

    Attributes:
        sigma: noise levels, the root mean square of the noise over all directions; null selects the noise of the
            mixture.
        log2_nodes: binary logarithm of the number of lines between two clusters.
        seed: seed of the Sobol points on these lines.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1, 0], [-1, 0]], labels=[1, -1], sigma=0.5)
        >>> errors = tl.bayes_error(mixture, sigma=[0.5, 1.0])
        >>> errors.bayes_error.round(4).values.tolist()
        [0.0228, 0.1587]

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    sigma: tuple[Positive, ...] | None = None
    log2_nodes: Annotated[int, Bounds(at_least=6, at_most=24)] = 10
    seed: Seed = 0


@task("random_mixture", result=Layout({"cluster mode": "means", "cluster": "labels weights", "mode": "eigenvalues"}))
@checked
class RandomMixture:
    """Draw a mixture with random means and a random covariance.

    Attributes:
        input_dimension: N.
        clusters_per_class: 1 or more.
        seed: seed of means and covariance.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.random_mixture(input_dimension=20, clusters_per_class=2)
        >>> mixture.labels.values.tolist(), mixture.eigenvalues.shape
        ([-1.0, -1.0, 1.0, 1.0], (20,))

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    input_dimension: Count
    seed: Seed = 0
    clusters_per_class: Count = 5


@task(
    "random_covariances",
    result=Layout(
        {
            "cluster coordinate": "means",
            "cluster": "labels weights",
            "cluster mode": "eigenvalues",
            "cluster coordinate mode": "bases",
        },
        meanings={"bases": "eigenvectors of the covariance of each cluster"},
    ),
)
@checked
class RandomCovariances:
    """Draw a mixture with random means, and an independent random covariance for each cluster.

    The covariances do not commute. The equations of motion describe them in the space of the weights.

    Attributes:
        input_dimension: N.
        clusters_per_class: 1 or more.
        seed: seed of means and covariances.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.random_covariances(input_dimension=20, clusters_per_class=2)
        >>> dict(mixture.bases.sizes)
        {'cluster': 4, 'coordinate': 20, 'mode': 20}

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    input_dimension: Several
    seed: Seed = 0
    clusters_per_class: Count = 5


@task(
    "image_mixture",
    images=("train",),
    result=Layout({"cluster mode": "means", "cluster": "labels weights", "mode": "eigenvalues", "": "images"}),
)
@checked
class ImageMixture:
    """Compute the mixture with the moments of an image set.

    Attributes:
        dataset: the image set.
        clusters: one cluster for each class of images, or one for each label (odd and even digits, Fashion-MNIST 0-4
            and 5-9).
        ridge: added to the diagonal of the covariance, in units of the pixel variance.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.image_mixture("images", dataset="mnist", clusters="labels")
        >>> int(mixture.images), mixture.weights.round(2).values.tolist()
        (2000, [0.5, 0.5])

    References:
        refinetti2021: Refinetti, Goldt, Krzakala and Zdeborova, arXiv 2102.11742.
    """

    dataset: Literal["mnist", "fashion-mnist"]
    clusters: Literal["classes", "labels"] = "classes"
    ridge: NonNegative = 1e-5
