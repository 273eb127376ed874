"""Parameters of the tasks on networks after one gradient step."""

from typing import Annotated, Literal

from twolayer.errors import ConfigError
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.model.teachers.label_parameter import TeacherFunction
from twolayer.parameters import (
    MAY_BE_EMPTY,
    Bounds,
    Count,
    NonNegative,
    Positive,
    Seed,
    Several,
    checked,
    fill,
    require_published_seed,
)
from twolayer.results.layout import Layout

Exponent = Annotated[float, Bounds(at_least=0, at_most=1)]
Alignment = Annotated[float, Bounds(at_least=-1, at_most=1)]
Rank = Annotated[int, Bounds(at_least=0, at_most=10**12)]
Ratio = Annotated[float, Bounds(at_least=0, at_most=1)]
TRIALS = {  # a part of layouts
    "axes activation seed": "converged network network_training network_misclassified? hermite hermite_training "
    "hermite_misclassified? hermite_difference hermite_training_difference",
    "axes activation": "hermite_gap",
}


@checked
class SpikedData:
    """A mixture with spikes of size n^(beta (1 - alpha)) in its covariances, for gradient steps of size n^(beta alpha).

    Attributes:
        input_dimension: n.
        samples: m, of the fit, and of the step by default; the test uses five times as many.
        beta: strength.
        alpha: exponent that divides the strength between step and spikes.
        ranks: number of spikes of each component; 0 for every component gives isotropic inputs.
        random_spikes: whether the sizes of spikes are uniform between zero and the above size.
        alignments: overlaps of the spikes of each further component with the spikes of the first component; null means
            0 for each.
        ratios: fractions of the components.
        labels: `regression` on a function of xi . x, or `classification` of the components.
        label_noise: standard deviation of the noise on the labels of a regression.
        teacher: direction of xi, `random` or `aligned` with the largest spikes.
        teacher_function: function of xi . x, by name, or a function of arrays. A function of several directions takes
            an array (..., directions); the values of a named function are summed over the directions.
        teacher_directions: number of orthogonal directions xi, all of the same length.
        step_samples: samples of each gradient step, m0; null selects m.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> isotropic = {"ranks": [0], "ratios": [1], "teacher_function": "tanh"}
        >>> tl.SpikedData(input_dimension=500, samples=1000, step_samples=250, **isotropic).isotropic
        True
    """

    input_dimension: Count
    samples: Count
    beta: Exponent = 0.74
    alpha: Exponent = 0.5
    ranks: tuple[Rank, ...] = (1, 1)
    random_spikes: bool = False
    alignments: Annotated[tuple[Alignment, ...], MAY_BE_EMPTY] | None = None
    ratios: tuple[Ratio, ...] = (0.5, 0.5)
    labels: Literal["regression", "classification"] = "regression"
    label_noise: NonNegative = 0.0
    teacher: Literal["random", "aligned"] = "random"
    teacher_function: TeacherFunction = "relu"
    teacher_directions: Annotated[int, Bounds(at_least=1, at_most=10)] = 1
    step_samples: Count | None = None

    def __post_init__(self):
        fill(self, alignments=(0.0,) * (len(self.ranks) - 1))
        if not len(self.ranks) == len(self.ratios) == len(self.alignments) + 1:
            raise ConfigError(
                f"{len(self.ranks)} ranks, {len(self.ratios)} ratios and {len(self.alignments)} alignments: give a "
                "rank and a ratio for each component, and an alignment for each but the first"
            )
        if max(self.ranks) > self.input_dimension:
            raise ConfigError(f"ranks has {max(self.ranks)}: use at most the input dimension, {self.input_dimension}")
        if not all(self.ranks) and any(self.ranks):
            raise ConfigError("some ranks are 0: make all of them 0, or none, as all components have the same trace")
        if abs(sum(self.ratios) - 1) > 1e-9:
            raise ConfigError(f"ratios add up to {sum(self.ratios):g}: make the sum 1")
        self._check_labels()

    def _check_labels(self):
        if not isinstance(self.teacher_function, str):
            # imported here, because it needs numba, which loads slowly
            from twolayer.model.teachers.label_functions import LabelFunction

            LabelFunction.of(self.teacher_function, self.teacher_directions)
        if self.labels == "classification":
            if self.label_noise:
                raise ConfigError(f"label_noise is {self.label_noise:g}, but labels are classes: set it to 0")
            if self.isotropic:
                raise ConfigError(
                    "labels are the components, which are identical with ranks of 0: set labels to 'regression'"
                )
        if self.teacher == "aligned" and (self.isotropic or self.teacher_directions > 1):
            raise ConfigError("teacher is aligned: this needs spikes and one direction: set it to 'random'")
        if self.teacher_directions > self.input_dimension:
            raise ConfigError(
                f"teacher_directions is {self.teacher_directions}: use at most the input dimension, "
                f"{self.input_dimension}"
            )

    @property
    def isotropic(self) -> bool:
        """Whether the inputs have no spikes."""
        return not any(self.ranks)


@checked
class GradientSteps:
    """The gradient steps of the first layer.

    Attributes:
        per_unit: eta / k, the size of a step for each unit; null is the step n^(beta alpha) of the data.
        count: number of steps, all with the initial second layer.
        batches: `fresh` samples for each step, or the `same`.
        second_layer: initial second layer: `normal` with variance 1 / k, `equal` weights 1 / sqrt k, or these with
            random `signs`.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.GradientSteps(per_unit=2.0, second_layer="equal").count
        1
    """

    per_unit: NonNegative | None = None
    count: Annotated[int, Bounds(at_least=1, at_most=100)] = 1
    batches: Literal["fresh", "same"] = "fresh"
    second_layer: Literal["normal", "equal", "signs"] = "normal"


ONE_STEP = GradientSteps()


class Swept:
    """A class of axes that checks their values."""

    def __post_init__(self):
        if not any(vars(self).values()):
            raise ConfigError(f"no axis is given: give at least one of {', '.join(vars(self))}")
        for name, values in vars(self).items():
            if twice := [value for value in values or () if values.count(value) > 1]:
                raise ConfigError(f"{name} has {twice[0]:g} twice: give each value once")


@checked
class Axes(Swept):
    """The varied parameters of a sweep; several axes give all combinations.

    Attributes:
        alpha, beta: parameters of the data.
        alignment: of all components with the first.
        ratio: of the first of two components.
        rank: number of spikes of every component.
        width: k / m.
        degree: degree of the Hermite model.
        step_per_unit: eta / k. These three do not change the data.

    Raises:
        ConfigError: an argument has the wrong type, is out of its range, or does not fit to the others.

    Example:
        >>> import twolayer as tl
        >>> tl.Axes(alpha=[0.2, 0.5], width=[1, 2])
        Axes(alpha=(0.2, 0.5), width=(1.0, 2.0))
    """

    alpha: tuple[Exponent, ...] | None = None
    beta: tuple[Exponent, ...] | None = None
    alignment: tuple[Alignment, ...] | None = None
    ratio: tuple[Ratio, ...] | None = None
    rank: tuple[Count, ...] | None = None
    width: tuple[Positive, ...] | None = None
    degree: tuple[Count, ...] | None = None
    step_per_unit: tuple[NonNegative, ...] | None = None


def check_axes(axes: Axes, data: SpikedData) -> None:
    """Check that axes fit the data.

    Raises:
        ConfigError: there are not two components for a ratio, or a rank exceeds the input dimension.
    """
    if axes.ratio and len(data.ratios) != 2:
        raise ConfigError(f"axes.ratio is given for {len(data.ratios)} components: use two components")
    if axes.rank and max(axes.rank) > data.input_dimension:
        raise ConfigError(f"axes.rank has {max(axes.rank)}: use at most {data.input_dimension}")


@task(
    "one_step_simulation",
    result=Layout({**TRIALS, "": "input_dimension samples"}, labels={"activation": "activations", "seed": "seeds"}),
)
@checked
class OneStepSweep:
    """Train networks by one gradient step, and fit their Hermite models, along one or more axes.

    Attributes:
        data: parameters that are not swept.
        axes: swept parameters.
        seeds: number of networks at each point.
        activations: activations of the hidden units, one network each.
        width: k / m. ridge: lambda.
        degree: degree of the Hermite model; by default it follows from beta.
        nodes: number of nodes of the Gauss-Hermite quadrature, 100 in the paper; null uses as many as necessary.
        draws: `fresh` data for every trial, or one draw `shared` by the trials of a point, as in the paper.
        stream: `independent` random numbers for every draw of the data, or in the `published` order of NumPy's legacy
            generator.
        steps: gradient steps of the first layer.
        precision: precision of the weights and the data; `single` changes the errors by a few millionths, most often by
            1e-7. The normal numbers of an independent stream are single in both cases.
        seed: seed of all random numbers.

    Example:
        >>> import twolayer as tl
        >>> data, axes = tl.SpikedData(input_dimension=100, samples=200), tl.Axes(width=[0.5, 2])
        >>> runs = tl.one_step_simulation(data, axes, seeds=4, activations=["tanh"])
        >>> runs.network.mean("seed").round(1).values.ravel().tolist()
        [0.1, 0.1]

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    data: SpikedData
    axes: Axes
    seeds: Several = 10
    seed: Seed = 0
    width: Positive = 1.0
    ridge: NonNegative = 1e-4
    activations: tuple[ActivationLike, ...] = ("relu", "tanh", "sigmoid")
    degree: Count | None = None
    nodes: Count | None = 100
    draws: Literal["fresh", "shared"] = "fresh"
    stream: Literal["independent", "published"] = "independent"
    precision: Literal["double", "single"] = "single"
    steps: GradientSteps = ONE_STEP

    def __post_init__(self):
        check_axes(self.axes, self.data)
        if self.draws == "fresh" and self.stream == "published" and self.axes.width:
            raise ConfigError("the published stream has no fresh draws along the width: set draws to 'shared'")
        if self.stream == "published":
            require_published_seed(self.seed)


@task(
    "frozen_features",
    result=Layout(
        {"axes activation": "converged theory theory_training", "axes": "spike step"},
        labels={"activation": "activations"},
    ),
)
@checked
class FrozenFeatures:
    """Compute in theory the errors of networks whose features neither spikes nor step change.

    Attributes:
        data: regression on a random teacher, two components with one spike each. axes: alpha, beta, ratio and width.
        width, ridge, activations: as for `one_step_simulation`.
        nodes: number of nodes of the Gauss-Hermite quadrature; null uses as many as necessary.

    Example:
        >>> import twolayer as tl
        >>> data, axes = tl.SpikedData(input_dimension=100, samples=200), tl.Axes(width=[0.5, 2])
        >>> theory = tl.frozen_features(data, axes, activations=["tanh"])
        >>> theory.theory.round(3).values.ravel().tolist()
        [0.065, 0.059]

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    data: SpikedData
    axes: Axes
    width: Positive = 1.0
    ridge: Positive = 1e-4
    activations: tuple[ActivationLike, ...] = ("relu", "tanh", "sigmoid")
    nodes: Count | None = 100

    def __post_init__(self):
        data = self.data
        teacher = data.teacher, data.teacher_function, data.teacher_directions
        if (data.labels, teacher, data.ranks, data.alignments) != ("regression", ("random", "relu", 1), (1, 1), (0.0,)):
            raise ConfigError(
                "the theory of frozen features needs regression on a random relu teacher and two components with one "
                "spike each, not aligned: leave labels, teacher, ranks and alignments at their defaults"
            )
        others = [name for name in ("alignment", "rank", "degree", "step_per_unit") if getattr(self.axes, name)]
        if others:
            raise ConfigError(f"axes.{others[0]} is given: frozen features allow only alpha, beta, ratio and width")


@task(
    "one_step_theory",
    result=Layout(
        {
            "axes activation seed": "converged theory theory_training theory_misclassified? hermite_theory? "
            "hermite_theory_training?",
            "": "input_dimension samples",
        },
        labels={"activation": "activations", "seed": "seeds"},
    ),
)
@checked
class OneStepTheory:
    """Compute in theory the errors after one gradient step, for steps and spikes of any size.

    On isotropic inputs, the moments of the features depend on the component of the inputs along the step.

    With the seed and the trials of a `one_step_simulation` sweep with fresh data, its mixtures, teachers and first
    layers are the same, trial by trial.

    Attributes:
        data, axes, seeds, seed, width, ridge, activations, steps: as for `one_step_simulation`.
        hermite: whether to compute also the errors of the Hermite model.
        degree: degree of the Hermite model; null selects it from beta. Along the axis `degree`, the series of the
            network also end at this degree, and the rest is noise; else the series are as long as necessary.
        nodes: number of nodes of the Gauss-Hermite quadrature of the Hermite model; null uses as many as necessary.

    Example:
        >>> import twolayer as tl
        >>> data, axes = tl.SpikedData(input_dimension=100, samples=200), tl.Axes(width=[0.5, 2])
        >>> theory = tl.one_step_theory(data, axes, seeds=2, seed=0, activations=["tanh"])
        >>> theory.theory.mean("seed").round(2).values.ravel().tolist()
        [0.07, 0.07]

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    data: SpikedData
    axes: Axes
    seeds: Count
    seed: Seed
    width: Positive = 1.0
    ridge: Positive = 1e-4
    activations: tuple[ActivationLike, ...] = ("relu", "tanh", "sigmoid")
    hermite: bool = False
    degree: Count | None = None
    nodes: Count | None = 100
    steps: GradientSteps = ONE_STEP

    def __post_init__(self):
        check_axes(self.axes, self.data)
        several = self.data.teacher_directions > 1
        if self.data.isotropic and self.data.input_dimension <= (directions := min(self.steps.count, 2)):
            raise ConfigError(
                f"input_dimension is {self.data.input_dimension}, but the steps take up to {directions} directions, "
                "and the theory of isotropic inputs needs others: raise it"
            )
        if self.data.isotropic and self.axes.degree:
            raise ConfigError("axes.degree is given: the theory of isotropic inputs has no series: leave it out")
        if several and self.hermite:
            raise ConfigError("hermite is true, but the teacher has several directions: set it to false")
        if several and not self.data.isotropic:
            raise ConfigError(
                f"teacher_directions is {self.data.teacher_directions}, which is not implemented for data with spikes, "
                "because the theory averages over one direction of the teacher: set ranks to [0] and ratios to [1]"
            )


@task(
    "conditional_outputs",
    result=Layout(
        {
            "dimension activation seed": "bulk_variance bulk_correlation field_correlation conditional_skewness "
            "conditional_kurtosis output_skewness output_kurtosis"
        },
        labels={"dimension": "sizes", "activation": "activations", "seed": "seeds"},
        meanings={
            "bulk_variance": "mean variance of the pre-activations for given components along the structure, over b^2",
            "bulk_correlation": "root mean square of the correlations of two pre-activations for given components "
            "along the structure",
            "field_correlation": "root mean square of the correlations of two pre-activations",
            "conditional_skewness": "root mean square of the skewness of the output for given components along the "
            "structure",
            "conditional_kurtosis": "mean excess kurtosis of the output for given components along the structure",
            "output_skewness": "skewness of the output",
            "output_kurtosis": "excess kurtosis of the output",
        },
    ),
)
@checked
class ConditionalOutputs:
    """Measure how Gaussian a network after one gradient step is for given inputs along the structure.

    The structure consists of the spikes of the mixture and the direction of the gradient step. The other components of
    the input are the bulk. The regression is on a random relu teacher, and n = m = k.

    Attributes:
        sizes: n.
        beta, alpha: strength, and the exponent that divides it between step and spikes.
        penalty: lambda m, the ridge of the sum over samples.
        activations: activations of the hidden units, one network each.
        structures: number of inputs whose components along the structure are fixed.
        samples: draws of the bulk for each of them.
        seeds: number of networks.
        seed: seed of all random numbers.

    Example:
        >>> import twolayer as tl
        >>> options = {"structures": 4, "samples": 2000, "seeds": 4, "beta": 1, "alpha": 0.25}
        >>> found = tl.conditional_outputs(sizes=[100], activations=["relu"], **options)
        >>> bool(found.output_kurtosis.mean() > 4 * abs(found.conditional_kurtosis.mean()))
        True

    References:
        demir2025: Demir and Dogan, arXiv 2503.00856.
    """

    sizes: tuple[Annotated[int, Bounds(at_least=8, at_most=10**5)], ...]
    structures: Several
    samples: Annotated[int, Bounds(at_least=100)]
    seeds: Several
    seed: Seed = 0
    beta: Exponent = 0.74
    alpha: Exponent = 0.5
    penalty: Positive = 0.1
    activations: tuple[ActivationLike, ...] = ("relu", "tanh", "sigmoid")


@task(
    "giant_step_limit",
    result=Layout(
        {
            "axes activation": "converged theory theory_training theory_misclassified? spike_size row_length "
            "teacher_overlap",
            "axes activation batch": "second_overlap? second_squares?",
        },
        labels={"activation": "activations", "batch": "second_batches"},
        meanings={
            "spike_size": "change of each unit by the step along one direction, the spike",
            "row_length": "mean squared length of the rows of the first layer across the spike",
            "teacher_overlap": "length of the spike's direction within the teacher's directions",
            "second_overlap": "component of a unit's weights along the teacher after a second step, over that unit's "
            "second-layer weight, which is 1 or -1 over the root of k",
            "second_squares": "mean squared residual before a second step, without a fit",
            "batch": "samples of the second step: the same as in the first step, or fresh samples",
        },
    ),
)
@checked
class GiantStepLimit:
    """Compute the errors after one step of a size of order k, for n, k and m large in proportion.

    The computation draws no random numbers. The inputs are isotropic, and all weights of the second layer are equal in
    the step. The activation has no second Hermite coefficient, such as tanh, erf and sin.

    Attributes:
        data: data with ranks of 0. axes: width and step_per_unit.
        width: k / m. ridge: lambda.
        step_per_unit: eta / k. At 0, it is the theory of random features, which is not the limit of small steps.
        activations: activations of the hidden units.
        second_batches: `same` or `fresh` samples of a second step of the same size, for which the component of the
            first layer along the teacher is computed; null for no second step.

    Example:
        >>> import twolayer as tl
        >>> isotropic = {"ranks": [0], "ratios": [1], "teacher_function": "tanh"}
        >>> data = tl.SpikedData(input_dimension=800, samples=400, step_samples=400, **isotropic)
        >>> axes = tl.Axes(step_per_unit=[5])
        >>> theory = tl.giant_step_limit(data, axes, width=2, ridge=0.1 / 400, activations=["tanh"])
        >>> float((2 * theory.theory).squeeze().round(3))  # the mean squared error
        0.31

    References:
        cui2024: Cui et al., arXiv 2402.04980.
    """

    data: SpikedData
    axes: Axes
    width: Positive = 1.0
    ridge: Positive = 1e-4
    step_per_unit: NonNegative = 1.0
    activations: tuple[ActivationLike, ...] = ("tanh", "erf")
    second_batches: tuple[Literal["same", "fresh"], ...] | None = None

    def __post_init__(self):
        if not self.data.isotropic:
            raise ConfigError(
                "data has spikes, but the equations of this limit hold for isotropic inputs: set ranks to [0] and "
                "ratios to [1], or call one_step_theory"
            )
        others = [name for name, values in vars(self.axes).items() if values and name not in ("width", "step_per_unit")]
        if others:
            raise ConfigError(
                f"axes.{others[0]} is given: the limit of a giant step allows only width and step_per_unit"
            )
