"""Parameters of the tasks on convex losses for Gaussian mixtures with two labels or several classes."""

from typing import Annotated

from twolayer.experiments.mixture_inputs.parameters import MIXTURES
from twolayer.experiments.replica.parameters import LEARNT, LOSSES_OF_SIGNS, ConvexProblem
from twolayer.experiments.tasks import task
from twolayer.parameters import Bounds, Count, NonNegative, Positive, Seed, Several, checked
from twolayer.results.layout import Layout

_OF_CLUSTERS = "V Q M V_hat q_hat m_hat"


_CLUSTER_MEANINGS = {
    "V": "response of the output in each cluster",
    "Q": "variance of the output in each cluster",
    "M": "mean of the output in each cluster, without the bias",
    "b": "bias of the output",
}


@task(
    "mixture_replica",
    inputs={"mixture": MIXTURES},
    function="replica",
    result=Layout(
        {
            "loss sample_ratio ridge": "converged training_loss test_loss training_class_error class_error b",
            "loss sample_ratio ridge cluster": _OF_CLUSTERS,
        },
        labels=LEARNT,
        meanings=_CLUSTER_MEANINGS,
    ),
)
@checked
class MixtureReplica:
    """Solve the replica equations of learning the labels -1 and 1 of Gaussian clusters.

    The means have lengths near 1, the weights are arbitrary, and the covariances commute.

    Attributes:
        problem: losses, ridges and sample ratios; the labels are the labels of the clusters.
        bias: whether the output has a bias, which the ridge does not penalise.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1.0], [-1.0]], labels=[1, -1], sigma=0.5)
        >>> problem = tl.ConvexProblem(losses=["square"], ridges=[100], sample_ratios=[1e4])
        >>> tl.replica(mixture, problem).class_error.round(4).item()  # the Bayes error, Phi(-1 / sigma)
        0.0228

    References:
        mignacco2020: Mignacco et al., arXiv 2002.11544.
    """

    problem: ConvexProblem
    bias: bool = True

    def __post_init__(self):
        self.problem.check_mixture(LOSSES_OF_SIGNS, "-1 and 1")


@task(
    "mixture_learning",
    inputs={"mixture": MIXTURES},
    function="convex_learning",
    result=Layout(
        {
            "seed loss sample_ratio ridge": "converged training_loss test_loss training_class_error class_error b",
            "seed loss sample_ratio ridge cluster": "Q M",
        },
        labels=LEARNT,
        meanings=_CLUSTER_MEANINGS,
    ),
)
@checked
class MixtureLearning:
    """Train estimators of the labels -1 and 1 of Gaussian clusters on samples, and compute their errors.

    Attributes:
        problem: losses, ridges and sample ratios; the labels are the labels of the clusters.
        bias: whether the output has a bias, which the ridge does not penalise.
        dimension: N; null selects the dimension of the mixture.
        seeds: number of training sets at each sample ratio.
        seed: seed of all samples.
        test_samples: number of fresh samples that test an estimator.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=[[1.0], [-1.0]], labels=[1, -1], sigma=0.5, dimension=50)
        >>> problem = tl.ConvexProblem(losses=["square"], ridges=[1], sample_ratios=[2])
        >>> tl.convex_learning(mixture, problem, seeds=3).sizes["seed"]
        3

    References:
        mignacco2020: Mignacco et al., arXiv 2002.11544.
    """

    problem: ConvexProblem
    bias: bool = True
    dimension: Count | None = None
    seeds: Several = 10
    seed: Seed = 0
    test_samples: Count = 10_000

    def __post_init__(self):
        self.problem.check_mixture(LOSSES_OF_SIGNS, "-1 and 1")


_CLASSES = "class_mixture"  # the task that computes a mixture of classes


_LOSSES_OF_CLASSES = "square softmax"


_CLASS_MEANINGS = {
    "class_error": "fraction of inputs with a wrong answer",
    "training_class_error": "fraction of training samples with a wrong answer",
    "confusion": "probability of each answer, given the class",
    "V": "response of the outputs in each cluster",
    "Q": "covariance of the outputs in each cluster",
    "M": "mean of the outputs in each cluster, without the bias",
    "b": "bias of the outputs",
}


@task(
    "class_mixture",
    result=Layout(
        {"cluster mode": "means eigenvalues", "cluster": "labels weights", "": "input_dimension?"},
        meanings={"labels": "class of each cluster"},
    ),
)
@checked
class ClassMixture:
    """Define a mixture of several classes, with the same noise in every direction.

    Attributes:
        means: one row for each cluster, in orthonormal coordinates of any space that contains the means.
        labels: class of each cluster, from 0.
        sigma: standard deviation of the noise of a coordinate.
        weights: prior probabilities of the clusters; null means equal probabilities.
        spreads: standard deviation of the noise of each cluster in units of sigma; null means 1 for all.
        input_dimension: N of simulations with this mixture; null leaves the choice to the simulation.

    Example:
        >>> import twolayer as tl
        >>> mixture = tl.class_mixture(means=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], labels=[0, 1, 2], sigma=0.5)
        >>> mixture.weights.round(3).values.tolist()
        [0.333, 0.333, 0.333]

    References:
        loureiro2021: Loureiro et al., arXiv 2106.03791.
    """

    means: tuple[tuple[float, ...], ...]
    labels: tuple[Annotated[int, Bounds(at_least=0, at_most=1000)], ...]
    sigma: Positive
    weights: tuple[NonNegative, ...] | None = None
    spreads: tuple[Positive, ...] | None = None
    input_dimension: Count | None = None


@task(
    "class_replica",
    inputs={"mixture": _CLASSES},
    function="replica",
    result=Layout(
        {
            "loss sample_ratio ridge": "converged training_loss test_loss training_class_error? class_error",
            "loss sample_ratio ridge cluster class other_class": "V Q",
            "loss sample_ratio ridge cluster class": "M",
            "loss sample_ratio ridge class": "b",
            "loss sample_ratio ridge class answer": "confusion",
        },
        labels=LEARNT,
        meanings=_CLASS_MEANINGS,
    ),
)
@checked
class ClassReplica:
    """Solve the replica equations of learning several classes of Gaussian clusters.

    The square loss fits one-hot labels, |e_c - z|^2 / 2. The predicted class has the largest output. The training class
    error of the softmax has no closed form: the result has training_class_error if the square is the only loss.

    Attributes:
        problem: losses, ridges and sample ratios; losses are `square` and `softmax`.
        bias: whether the outputs have biases, which the ridge does not penalise.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], sigma=0.5)
        >>> problem = tl.ConvexProblem(losses=["softmax"], ridges=[0.1], sample_ratios=[2])
        >>> tl.replica(mixture, problem).confusion.sum("answer").values.ravel().round(6).tolist()
        [1.0, 1.0, 1.0]

    References:
        loureiro2021: Loureiro et al., arXiv 2106.03791.
    """

    problem: ConvexProblem
    bias: bool = True

    def __post_init__(self):
        self.problem.check_mixture(_LOSSES_OF_CLASSES, "numbers of classes")


@task(
    "class_learning",
    inputs={"mixture": _CLASSES},
    function="convex_learning",
    result=Layout(
        {
            "seed loss sample_ratio ridge": "converged training_loss test_loss training_class_error class_error",
            "seed loss sample_ratio ridge cluster class other_class": "Q",
            "seed loss sample_ratio ridge cluster class": "M",
            "seed loss sample_ratio ridge class": "b",
            "seed loss sample_ratio ridge class answer": "confusion",
        },
        labels=LEARNT,
        meanings=_CLASS_MEANINGS,
    ),
)
@checked
class ClassLearning:
    """Train classifiers of several Gaussian classes on samples, and compute their errors.

    Attributes:
        problem: losses, ridges and sample ratios; losses are `square` and `softmax`.
        bias: whether the outputs have biases, which the ridge does not penalise.
        dimension: N; null selects the dimension of the mixture.
        seeds: number of training sets at each sample ratio.
        seed: seed of all samples.
        test_samples: number of fresh samples that test an estimator.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> mixture = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], sigma=0.5, dimension=50)
        >>> problem = tl.ConvexProblem(losses=["softmax"], ridges=[0.1], sample_ratios=[2])
        >>> tl.convex_learning(mixture, problem, seeds=3).confusion.sizes["answer"]
        3

    References:
        loureiro2021: Loureiro et al., arXiv 2106.03791.
    """

    problem: ConvexProblem
    bias: bool = True
    dimension: Count | None = None
    seeds: Several = 10
    seed: Seed = 0
    test_samples: Count = 10_000

    def __post_init__(self):
        self.problem.check_mixture(_LOSSES_OF_CLASSES, "numbers of classes")
