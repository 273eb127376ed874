"""Parameters of the tasks on custom data: predictions of theories of Gaussian inputs, and deviations from them."""

from typing import Literal

from twolayer.errors import ConfigError
from twolayer.experiments.feature_covariances.parameters import MOMENTS, OF_LABELS, SETS
from twolayer.experiments.mixtures.parameters import Schedule, Student
from twolayer.experiments.replica.parameters import LEARNT, LOSSES_OF_SIGNS, ConvexProblem
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import Count, Seed, Several, checked
from twolayer.results.layout import Layout


@checked
class FeatureMap:
    """The learned features: the features of a sample, or a function of them.

    Attributes:
        random_features: number of random features of inputs that are centred and scaled to a mean variance of one; null
            for none.
        activation: activation of the random features.
        fit_to_data: make at most one random feature for every ten samples.
        module: `package.module:function`, a function without arguments that returns a torch module, from features (b,
            N) to features, such as the penultimate layer of a network; null for none.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.FeatureMap(random_features=100)
        FeatureMap(random_features=100)
    """

    random_features: Count | None = None
    activation: ActivationLike = "erf"
    module: str | None = None
    fit_to_data: bool = False

    def __post_init__(self):
        if self.random_features and self.module:
            raise ConfigError("map has random_features and a module: choose one of them")


@task(
    "data_samples",
    images=("train", "test"),
    files=("file",),
    modules=("map.module",),
    result=Layout(
        {**MOMENTS, "sample": "field classes", "sample feature": "features", "": "dropped"},
        meanings={
            **OF_LABELS,
            "field": "label of each sample, -1 or 1, centred",
            "features": "features of each sample, centred, in units of their root mean square",
        },
    ),
)
@checked
class DataSamples:
    """Read features and labels of custom data block by block, and estimate their covariances.

    The data are a named set, or a file: NumPy's npz or npy, a table (CSV or TSV, also with gzip, or Parquet),
    HDF5, NetCDF, or a folder with a folder of images for each class. There must be two samples for each feature, at
    least 20 in all, and 5 of each label.

    Attributes:
        dataset: an image set, or scikit-learn's `digits`. Its classes count as -1 and 1 as in the other studies (odd
            and even digits). Null if there is a file.
        file: path of a file or a folder; `~` is the home folder. Null if there is a dataset.
        features, labels: names of the arrays in an npz, HDF5 (`group/name`) or NetCDF file, `features` and `labels` if
            null. `labels` is the column of labels of a table, by default the last, or the npy file of the labels,
            relative to the folder of the features; null is the last column. Columns of a table without a header are
            named 0, 1, 2 and so on.
        leave_out: columns of a table that are neither features nor labels.
        positive: values of the label that count as 1; all others count as -1. With two values, the default is the
            larger value, or the last in alphabetical order.
        threshold: labels are numbers; numbers above it count as 1 and all others as -1.
        size: height and width to which images from a folder are resized, in grey; 28 if null.
        drop_constant: leave out features that never change. If false, they are an error.
        standardize: scale every feature to a variance of one, before random features are computed. Null standardizes
            the features of a file where one direction has more than half of their variance. That share depends on the
            units of the features, and a theory of many features does not apply to data that vary in one direction.
        map: the learned features: the original features, random features of them, or features from a module.
        seed: of random features.

    Example:
        >>> import twolayer as tl
        >>> data = tl.data_samples(dataset="digits", drop_constant=True)
        >>> data.features.shape, int(data.dropped)
        ((1797, 61), 3)

    References:
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    dataset: Literal["digits", "mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] | None = None
    file: str | None = None
    features: str | None = None
    labels: str | None = None
    leave_out: tuple[str, ...] | None = None
    positive: tuple[str, ...] | None = None
    threshold: float | None = None
    size: Count | None = None
    drop_constant: bool = False
    standardize: bool | None = None
    map: FeatureMap = FeatureMap()
    seed: Seed = 0

    def __post_init__(self):
        if (self.dataset is None) == (self.file is None):
            raise ConfigError("data come from a named set or from a file: give either dataset or file")
        of_files = [name for name in ("features", "labels", "leave_out", "threshold", "size") if self._given(name)]
        if self.dataset and of_files:
            raise ConfigError(f"{of_files[0]} belongs to a file: leave it out for a dataset")
        if self.positive and self.threshold is not None:
            raise ConfigError("positive and threshold both select the labels that count as 1: give one of them")

    def _given(self, name):
        return getattr(self, name) is not None

    def files_read(self) -> list[str]:
        """Return the files that hold the samples: one, one with its labels, or the images in a folder."""
        from twolayer.model.data.data_files import sample_files

        return sample_files(self.file, self.labels)


DISTRIBUTIONS = ("data", "classes", "labels", "one", "shuffled")


@task(
    "data_learning",
    inputs={"data": SETS},
    result=Layout(
        {
            "distribution seed loss sample_ratio ridge": "converged training_loss test_loss training_class_error "
            "class_error",
            "": "r_squared",
        },
        labels={"distribution": "distributions", **LEARNT},
    ),
)
@checked
class DataLearning:
    """Train estimators by a convex loss on samples of a set and of its surrogates, and compute their errors.

    The test samples are other samples of the same distribution.

    A surrogate is a distribution that shares only some moments with the set. `classes` is one Gaussian for each class,
    with a common covariance; `labels` is one Gaussian for each of the two labels; `one` is a single Gaussian, whose
    labels are the sign of a linear field plus noise; `shuffled` is the set with its labels permuted at random.

    Attributes:
        problem: losses, ridges and sample ratios, with labels `classes`.
        distributions: the set, `data`, and surrogates of it.
        seeds: number of draws of training and test samples.
        test_samples: number of other samples of the set, or of its surrogate, for the test errors.
        fit_to_data: use fewer test samples, down to a quarter of the set, and leave out the sample ratios for which the
            set is too small. If false, a set that is too small is an error.
        seed: of all draws.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> rng = np.random.default_rng(0)
        >>> features = rng.standard_normal((400, 5))
        >>> labels = np.where(features[:, 0] + 0.5 * rng.standard_normal(400) > 0, 1, -1)
        >>> data = tl.feature_covariances(features, labels)
        >>> problem = tl.ConvexProblem(labels="classes", losses=["square"], ridges=[0.1], sample_ratios=[10])
        >>> runs = tl.data_learning(data, problem, distributions=["data", "one"], seeds=5, test_samples=200)
        >>> runs.class_error.mean("seed").round(1).values.ravel().tolist()
        [0.2, 0.2]

    References:
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    problem: ConvexProblem
    distributions: tuple[Literal["data", "classes", "labels", "one", "shuffled"], ...] = DISTRIBUTIONS
    seeds: Several = 10
    test_samples: Count = 1000
    fit_to_data: bool = False
    seed: Seed = 0

    def __post_init__(self):
        if self.problem.labels != "classes":
            raise ConfigError(f"labels are {self.problem.labels!r}: set labels of the problem to 'classes'")
        self.problem.check_losses(LOSSES_OF_SIGNS, "for two labels")


@task(
    "data_mixture",
    inputs={"data": SETS},
    result=Layout(
        {"cluster mode": "means", "cluster": "labels weights", "mode": "eigenvalues", "feature mode": "modes"}
    ),
)
@checked
class DataMixture:
    """Compute the mixture of Gaussians with the moments of a set, and one covariance for all Gaussians.

    Attributes:
        gaussians: one for each of the `classes`, or for each of the two `labels`, or `one` for all samples. The labels
            of `one` are the sign of a linear field plus noise: the clusters are the points of a quadrature of this
            field, for each label.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> rng = np.random.default_rng(0)
        >>> features = rng.standard_normal((400, 5))
        >>> labels = np.where(features[:, 0] + 0.5 * rng.standard_normal(400) > 0, 1, -1)
        >>> data = tl.feature_covariances(features, labels)
        >>> mixture = tl.data_mixture(data, gaussians="labels")
        >>> mixture.labels.values.tolist(), mixture.weights.round(2).values.tolist()
        ([-1.0, 1.0], [0.53, 0.47])

    References:
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    gaussians: Literal["classes", "labels", "one"] = "labels"


@task(
    "data_sgd",
    inputs={"data": SETS, "mixture": "data_mixture"},
    result=Layout(
        {"seed time": "pmse class_error", "seed": "distance null_distance kurtosis null_kurtosis"},
        meanings={"distance": "distance of the pre-activations from a Gaussian within a label, mean over directions"},
    ),
)
@checked
class DataSGD:
    """Run online SGD on the samples of a set, each used once, and test it on other samples of the set.

    It starts from the initial weights of `learning_curve` and `online_sgd` for the same mixture. At the end, the
    pre-activations of all samples are compared with Gaussian ones, within each label.

    Attributes:
        student, schedule: network and training; all runs start from the same initial weights.
        seeds: number of orders of the samples.
        test_samples: number of samples that are kept for the test errors.
        fit_to_data: keep fewer test samples, down to a quarter of the set, and stop at the last measurement for which
            there are samples. If false, a set that is too small is an error.
        directions: number of directions of the pre-activations over which distances are averaged.
        seed: of the orders.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> rng = np.random.default_rng(0)
        >>> features = rng.standard_normal((400, 5))
        >>> labels = np.where(features[:, 0] + 0.5 * rng.standard_normal(400) > 0, 1, -1)
        >>> data = tl.feature_covariances(features, labels)
        >>> mixture = tl.data_mixture(data)
        >>> student = tl.Student("erf", hidden_units=2)
        >>> schedule = tl.Schedule(learning_rate=0.5, last_time=20, measurements=4)
        >>> runs = tl.data_sgd(data, mixture, student, schedule, seeds=3, test_samples=100)
        >>> dict(runs.class_error.sizes)
        {'seed': 3, 'time': 4}

    References:
        loureiro2021curves: Loureiro et al., arXiv 2102.08127.
    """

    student: Student
    schedule: Schedule
    seeds: Several = 10
    test_samples: Count = 400
    fit_to_data: bool = False
    directions: Count = 16
    seed: Seed = 0

    def __post_init__(self):
        if self.student.bias:
            raise ConfigError(
                "bias is true: biases are defined only for isotropic mixtures, set it to false for a data set"
            )
