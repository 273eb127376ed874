"""Parameters of the tasks on data of one's own: what theories of Gaussian inputs say of it, and where they part."""

from typing import Literal

from twolayer.errors import ConfigError
from twolayer.experiments.mixtures.parameters import Schedule, Student
from twolayer.experiments.replica.parameters import SETS, ConvexProblem
from twolayer.parameters import ActivationLike, Count, Seed, Several, checked
from twolayer.results.layout import Layout
from twolayer.tasks import task


@checked
class FeatureMap:
    """What is learnt from: the features of a sample, or a function of them.

    Attributes:
        random_features: their number, of inputs that are centred and scaled to variance one; null for none.
        activation: of the random features.
        module: `package.module:function`, a function of no arguments that returns a module of torch, from features
            (b, N) to others, such as those of a network's penultimate layer; null for none.
    """

    random_features: Count | None = None
    activation: ActivationLike = "erf"
    module: str | None = None

    def __post_init__(self):
        if self.random_features and self.module:
            raise ConfigError("map has random_features and a module: choose one of them")


@task(
    "data_samples",
    images=("train", "test"),
    files=("file",),
    modules=("map.module",),
    result=Layout(
        {
            "latent other_latent": "Psi",
            "latent feature": "Phi",
            "feature other_feature": "Omega",
            "latent": "teacher",
            "sample": "field classes",
            "sample feature": "features",
            "": "dropped",
        },
        meanings={
            "Psi": "variance of the labels",
            "Phi": "covariance of labels and features",
            "Omega": "covariance of the features",
            "field": "label of each sample, -1 or 1, centred",
            "features": "features of each sample, centred, in units of their root mean square",
        },
    ),
)
@checked
class DataSamples:
    """Features and labels of one's own, read block by block, with their covariances.

    They come from a set that has a name, or from a file: NumPy's npz or npy, CSV, HDF5, NetCDF, or a folder with a
    folder of images for each class.

    Attributes:
        dataset: an image set, or scikit-learn's `digits`; its classes count as -1 and 1 as in the other studies (odd
            digits and even ones); null where there is a file.
        file: its path, or that of a folder; null where there is a dataset.
        features, labels: names of the arrays in it, `features` and `labels` if null; of a table the column of labels,
            by default the last; for an npy file the name of another one, beside it, or null for the last column.
        positive: values of the label that count as 1, where it takes more than two; all others are -1.
        size: height and width that images from a folder are brought to, in grey.
        drop_constant: leave out features that never change, else they are refused.
        map: what of the features is learnt from.
        seed: of random features.
    """

    dataset: Literal["digits", "mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-10-subset"] | None = None
    file: str | None = None
    features: str | None = None
    labels: str | None = None
    positive: tuple[str, ...] | None = None
    size: Count = 28
    drop_constant: bool = False
    map: FeatureMap = FeatureMap()
    seed: Seed = 0

    def __post_init__(self):
        if (self.dataset is None) == (self.file is None):
            raise ConfigError("data come from a set that has a name or from a file: give either dataset or file")
        if self.dataset and (self.features or self.labels):
            raise ConfigError("features and labels are names in a file: leave them out for a dataset")

    def files_read(self) -> list[str]:
        """Return the files that hold the samples: one, one with its labels, or the images in a folder."""
        from twolayer.model.data_files import sample_files

        return sample_files(self.file, self.labels)


LAWS = ("data", "classes", "labels", "one", "shuffled")


@task(
    "data_learning",
    inputs={"data": SETS},
    result=Layout(
        {
            "law seed loss sample_ratio ridge": "training_loss test_loss training_class_error class_error",
            "": "explained",
        },
        labels={
            "law": "laws",
            "loss": "problem.losses",
            "sample_ratio": "problem.sample_ratios",
            "ridge": "problem.ridges",
        },
    ),
)
@checked
class DataLearning:
    """Learning by a convex loss from samples of a set, tested on others of it, and from samples of its surrogates.

    A surrogate is a law that has some of the set's moments and nothing else of it: `classes` is one Gaussian a class,
    of a common covariance; `labels` one Gaussian for each of the two labels; `one` a single Gaussian, with labels that
    are the sign of a linear field and noise; `shuffled` the set with its labels exchanged at random.

    Attributes:
        problem: what is learnt, and how, with labels `classes`.
        laws: the set itself, `data`, and surrogates of it.
        seeds: number of draws of training and test samples.
        test_samples: others of the set, or of its surrogate, that test what was learnt.
        seed: of all draws.
    """

    problem: ConvexProblem
    laws: tuple[Literal["data", "classes", "labels", "one", "shuffled"], ...] = LAWS
    seeds: Several = 10
    test_samples: Count = 1000
    seed: Seed = 0

    def __post_init__(self):
        if self.problem.labels != "classes":
            raise ConfigError(f"labels are {self.problem.labels!r}: set those of the problem to 'classes'")


@task(
    "data_mixture",
    inputs={"data": SETS},
    result=Layout(
        {
            "cluster mode": "means",
            "cluster": "labels weights",
            "mode": "eigenvalues",
            "feature mode": "modes",
        },
    ),
)
@checked
class DataMixture:
    """The mixture of Gaussians with the moments of a set, and one covariance for all of them.

    Attributes:
        gaussians: one for each of the `classes`, or for each of the two `labels`, or `one` for all samples, with labels
            that are the sign of a linear field and noise: as clusters, that is one for each point of a quadrature of
            this field, and each label.
    """

    gaussians: Literal["classes", "labels", "one"] = "labels"


@task(
    "data_sgd",
    inputs={"data": SETS, "mixture": "data_mixture"},
    result=Layout(
        {
            "seed time": "pmse class_error",
            "seed": "distance floor_distance kurtosis floor_kurtosis",
        },
        meanings={
            "distance": "distance of the local fields from a Gaussian law within a label, mean over directions",
        },
    ),
)
@checked
class DataSGD:
    """Learning curves of online SGD on the samples of a set, each taken once, and the errors on others of it.

    It starts from the weights that `learning_curve` and `online_sgd` have on the same mixture. At its end the local
    fields of all samples are held against Gaussian ones, within each label.

    Attributes:
        student, schedule: what learns, and how; all runs start from the same initial weights.
        seeds: number of orders in which the samples come.
        test_samples: that are kept to test it.
        directions: of the local fields along which distances are averaged.
        seed: of the orders.
    """

    student: Student
    schedule: Schedule
    seeds: Several = 10
    test_samples: Count = 400
    directions: Count = 16
    seed: Seed = 0

    def __post_init__(self):
        if self.student.bias:
            raise ConfigError("bias is true: biases are known for isotropic mixtures alone, set it to false for a set")
