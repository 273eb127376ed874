"""Parameters of the tasks on learning by a convex loss from Gaussian, or nearly Gaussian, features."""

from typing import Literal

from twolayer.errors import ConfigError
from twolayer.experiments.feature_covariances.parameters import FEATURE_COVARIANCES
from twolayer.experiments.generators.parameters import GENERATORS
from twolayer.experiments.tasks import task
from twolayer.parameters import Count, NonNegative, Positive, Seed, Several, checked, fill
from twolayer.results.layout import Layout

LOSSES_OF_SIGNS = "square logistic hinge huber"  # losses of labels -1 and 1
_OF_TEACHERS = "of a teacher are signs or numbers, and not classes"
LEARNT = {"loss": "problem.losses", "sample_ratio": "problem.sample_ratios", "ridge": "problem.ridges"}


@checked
class ConvexProblem:
    """The learning problem: the minimum of sum loss(y, z) + penalty, for outputs z = w.v / sqrt d.

    Attributes:
        sample_ratios: samples per feature, n / d.
        ridges: lambda, in units of a squared weight when features are divided by sqrt d; 0 is the limit of a vanishing
            ridge.
        losses: square is (y - z)^2 / 2, logistic log(1 + exp(-y z)), hinge max(0, 1 - y z), huber is the square up to
            |y - z| = huber_delta and linear beyond, softmax is the cross-entropy of several classes.
        labels: sign of the teacher's field (`sign`), or the field (`linear`); sign of the field with normal noise
            (`probit`) or logistic noise (`logit`); or `classes`, for a set of samples whose field has two values, where
            each class is one Gaussian.
        noise: noise of labels: standard deviation of normal noise, scale of logistic noise.
        penalty: `l2` is ridge |w|^2 / 2, `l1` is ridge |w|_1.
        huber_delta: residual at which the Huber loss becomes linear.

    Raises:
        ConfigError: a value is not allowed, or losses, labels and noise do not fit together.

    Example:
        >>> import twolayer as tl
        >>> tl.ConvexProblem(losses=["logistic"], labels="probit", noise=0.1, ridges=[0.1], sample_ratios=[2]).penalty
        'l2'
    """

    sample_ratios: tuple[Positive, ...]
    ridges: tuple[NonNegative, ...]
    losses: tuple[Literal["square", "logistic", "hinge", "huber", "softmax"], ...] = ("square", "logistic")
    labels: Literal["sign", "linear", "probit", "logit", "classes"] = "sign"
    noise: NonNegative = 0.0
    penalty: Literal["l2", "l1"] = "l2"
    huber_delta: Positive = 1.0

    def __post_init__(self):
        if self.labels == "linear" and (others := set(self.losses) - {"square", "huber"}):
            other = next(loss for loss in self.losses if loss in others)
            needed = "classes" if other == "softmax" else "signs"
            raise ConfigError(
                f"labels are 'linear', but the {other} loss needs {needed}: set losses to [square] or [huber]"
            )
        if self.noise and self.labels in ("sign", "classes"):
            raise ConfigError(
                f"noise is {self.noise:g}, but labels are {self.labels!r}, which have no noise: set labels to "
                "'probit', "
                "'logit' or 'linear'"
            )

        if self.penalty == "l1" and self.labels == "classes":
            raise ConfigError(
                "penalty is 'l1', but labels are 'classes', whose features are correlated: set it to 'l2'"
            )

    def check_mixture(self, losses: str, labels: str) -> None:
        """Check that the problem can be solved for a mixture, which defines its labels.

        Args:
            losses: names of the available losses, separated by spaces. labels: description of the labels.

        Raises:
            ConfigError: there is another loss, or labels or a penalty are set, or a ridge is 0 for a loss without this
                limit.
        """
        self.check_losses(losses, f"of the mixture are {labels}")
        if self.labels not in ("sign", "classes"):
            raise ConfigError(
                f"labels are {self.labels!r}, but the clusters of a mixture define them: leave labels and noise out; "
                "for noisy labels, add clusters with the same means and other labels"
            )
        if self.penalty != "l2":
            raise ConfigError(
                f"penalty is {self.penalty!r}, which depends on the coordinates of the inputs, but the theory of "
                "mixtures holds in any coordinates: set it to 'l2'"
            )
        if not all(self.ridges) and (others := [loss for loss in self.losses if loss not in ("square", "huber")]):
            raise ConfigError(
                f"ridges has 0 and losses has {others[0]!r}: this limit is not implemented for mixtures, because it "
                "depends on whether the classes of the samples are separable: give positive ridges, or the loss square"
            )

    def check_losses(self, losses: str, labels: str) -> None:
        """Check that there are theory and simulations of the losses.

        Args:
            losses: names of the available losses, separated by spaces. labels: description of the labels, which begins
                with "of".

        Raises:
            ConfigError: there is another loss.
        """
        allowed = losses.split()
        if others := [loss for loss in self.losses if loss not in allowed]:
            raise ConfigError(f"losses has {others[0]!r}, but labels {labels}: choose from {', '.join(allowed)}")


@task(
    "replica",
    inputs={"feature_covariances": FEATURE_COVARIANCES},
    result=Layout(
        {
            "loss sample_ratio ridge": "converged training_loss test_loss training_class_error? class_error? V "
            "q m V_hat q_hat m_hat class_error_clean? excess? set_training_loss? set_test_loss? resampled_test_loss? "
            "resampled_class_error?",
            "sample_ratio ridge": "fresh_test_loss?",
            "": "largest_separable_sample_ratio?",
        },
        labels=LEARNT,
    ),
)
@checked
class Replica:
    """Solve the replica equations of learning by a convex loss, for infinitely many features.

    If the covariates are a set of samples, and least squares fits their labels (`labels="linear"`), the result also has
    the losses on samples that are drawn from the set with replacement, as in `convex_learning`. If the labels are
    `classes`, the theory models each class as one Gaussian with a common covariance. The result then also has the
    errors for the moments of a sample of that distribution as large as the set (`resampled`). The difference is the
    bias from moments of few samples. The least-squares loss without this bias is `fresh_test_loss`.

    Attributes:
        problem: losses, ridges, sample ratios, labels and penalty.

    Example:
        >>> import twolayer as tl
        >>> data = tl.FeatureCovariances.from_spectrum([1.0] * 50, [0.5] * 50, 1.0)
        >>> problem = tl.ConvexProblem(losses=["square"], labels="linear", ridges=[0], sample_ratios=[3])
        >>> tl.replica(data, problem).excess.item()  # with an unexplained variance of 0.5: 0.5 + 0.5 / (3 - 1)
        0.75

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    problem: ConvexProblem

    def __post_init__(self):
        self.problem.check_losses(LOSSES_OF_SIGNS, _OF_TEACHERS)


@task(
    "optimal_ridge",
    inputs={"feature_covariances": FEATURE_COVARIANCES},
    result=Layout(
        {
            "loss sample_ratio": "converged optimal_ridge training_loss test_loss training_class_error? class_error? "
            "class_error_clean excess? V q m V_hat q_hat m_hat"
        },
        labels=LEARNT,
    ),
)
@checked
class OptimalRidge:
    """Find the ridge with the least error of an estimator in theory.

    Attributes:
        problem: losses, ridges, sample ratios, labels and penalty. The search covers the range of its ridges.
        minimise: the minimised error; null selects the excess for linear labels, and else the class error.

    Example:
        >>> import twolayer as tl
        >>> data = tl.FeatureCovariances.from_spectrum([1.0] * 50, [0.5] * 50, 1.0)
        >>> problem = tl.ConvexProblem(losses=["square"], labels="linear", ridges=[0.01, 100], sample_ratios=[3])
        >>> tl.optimal_ridge(data, problem).optimal_ridge.round(5).item()  # unexplained over explained variance
        1.0

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    problem: ConvexProblem
    minimise: Literal["excess", "class_error", "class_error_clean", "test_loss"] | None = None

    def __post_init__(self):
        problem = self.problem
        problem.check_losses(LOSSES_OF_SIGNS, _OF_TEACHERS)
        if problem.labels == "classes":
            raise ConfigError(
                "labels are 'classes', for which the search is not implemented, because it uses the labels of a "
                "teacher: set labels to 'sign', or compare the ridges of a result of replica"
            )
        if not 0 < min(problem.ridges) < max(problem.ridges):
            raise ConfigError("ridges must contain two positive numbers, between which the search runs")
        fill(self, minimise="excess" if problem.labels == "linear" else "class_error")
        if (self.minimise == "excess") != (problem.labels == "linear") and self.minimise in ("excess", "class_error"):
            raise ConfigError(
                f"minimise is {self.minimise!r}, which labels {problem.labels!r} do not have: leave it out"
            )


@task(
    "convex_learning",
    inputs={"feature_covariances": FEATURE_COVARIANCES, "generator?": GENERATORS},
    result=Layout(
        {
            "seed loss sample_ratio ridge": "converged training_loss test_loss training_class_error? class_error? q m "
            "class_error_clean? excess?"
        },
        labels=LEARNT,
    ),
)
@checked
class ConvexLearning:
    """Train estimators by a convex loss on samples of the given features, and compute their errors.

    Attributes:
        problem: losses, ridges, sample ratios, labels and penalty.
        seeds: number of training and test sets at each sample ratio.
        test_samples: number of fresh samples that test an estimator; null tests it on the whole distribution, by the
            covariances of Gaussian covariates, or on all samples of a set.
        seed: seed of all samples.
        gaussian_equivalent: whether to draw Gaussian samples with the given covariances. The theory is exact for these
            samples if there are many features.

    Example:
        >>> import twolayer as tl
        >>> data = tl.gaussian_feature_covariances(dimension=50)
        >>> problem = tl.ConvexProblem(losses=["square"], ridges=[0.1], sample_ratios=[1, 4])
        >>> runs = tl.convex_learning(data, problem, seeds=5)
        >>> runs.class_error.mean("seed").round(2).values.ravel().tolist()
        [0.26, 0.13]

    References:
        goldt2021: Goldt et al., arXiv 2006.14709.
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    problem: ConvexProblem
    seeds: Several = 10
    seed: Seed = 0
    test_samples: Count | None = 10_000
    gaussian_equivalent: bool = False

    def __post_init__(self):
        self.problem.check_losses(LOSSES_OF_SIGNS, _OF_TEACHERS)
        if self.problem.labels == "classes":
            raise ConfigError(
                "labels are 'classes', which only samples of a set have: call data_learning, or set labels to 'sign'"
            )
