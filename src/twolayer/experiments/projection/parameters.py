"""Parameters of variable projection and two-timescale descent on custom data."""

from typing import Literal

from twolayer.experiments.circle.parameters import Descent, Power, Regularization, check_power
from twolayer.experiments.tasks import task
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.parameters import Count, Device, Positive, Seed, checked
from twolayer.results.layout import Layout

_RESULT = Layout(
    {"iteration": "risk step pmse test_pmse?", "feature input": "W", "feature output": "outer"},
    labels={"iteration": "descent.measured"},
    scalars=("ridge", "width"),
    meanings={
        "risk": "regularised risk",
        "step": "flow time of the preceding iteration, 0 at the start",
        "pmse": "half the mean squared error on the samples",
        "W": "weights of the features at the end",
        "outer": "outer weights at the end; the network is their mean product with the features",
    },
)
_ARRAYS = ("inputs", "targets", "test_inputs?", "test_targets?")


@task("variable_projection", arrays=_ARRAYS, result=_RESULT)
@checked
class VariableProjection:
    """Train a mean-field network with any features on custom data, by variable projection.

    The network (1/M) sum_j u_j phi(<w_j, x>) descends in the weights w. The risk ||f - y||^2 / (2 ridge N) + |u - c|^2
    / 2M is minimised over the outer weights u.

    Attributes:
        inputs: (N, d), one sample in each row. targets: (N,), or (N, C) for several outputs.
        test_inputs, test_targets: test samples, for `test_pmse` in the result; both or none.
        width: number of features M.
        activation: phi; a step function like `sign` has no slope for the descent.
        ridge: lambda. regularization: `biased` pulls u to c = 0, `unbiased` to c = 1.
        power: power of an unbiased regularisation f with f'' = u^(power - 2). The power 2 is (u - 1)^2 / 2, and 1 is
            the entropy u log u - u + 1. Below 2, all outer weights are positive or zero.
        weights: `sphere` keeps weights of length one, from a uniform start; `free` starts from N(0, 1 / d).
        constant: whether the inputs get a last coordinate that is always one.
        descent: number and size of steps, and times of measurement; by default a line search chooses the size.
        seed: seed of the initial weights.
        device: `auto` is the GPU if there is one.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> x = np.linspace(-1, 1, 50)[:, None]
        >>> runs = tl.variable_projection(x, np.sin(3 * x[:, 0]), width=20, ridge=1e-3)
        >>> bool(runs.pmse[-1] < runs.pmse[0])
        True

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """

    width: Count = 200
    activation: ActivationLike = "relu"
    ridge: Positive = 1e-2
    regularization: Regularization = "biased"
    weights: Literal["sphere", "free"] = "sphere"
    constant: bool = True
    descent: Descent = Descent(iterations=200, step="auto", every=10)
    seed: Seed = 0
    device: Device = "auto"
    power: Power = 2.0

    def __post_init__(self):
        check_power(self.power, [self.regularization])


@task("two_timescale", arrays=_ARRAYS, result=_RESULT)
@checked
class TwoTimescale(VariableProjection):
    """Train a mean-field network with any features on custom data, on two timescales.

    The network and its risk are defined as for `variable_projection`. The outer weights start at their best values and
    then descend as well.

    Attributes:
        inputs: (N, d), one sample in each row. targets: (N,), or (N, C) for several outputs.
        test_inputs, test_targets: test samples, for `test_pmse` in the result; both or none.
        width: number of features M.
        activation: phi; a step function like `sign` has no slope for the descent.
        ridge: lambda, which is also the rate of the outer weights.
        regularization: `biased` pulls the outer weights to 0, `unbiased` to 1.
        power: power of an unbiased regularisation, as for `variable_projection`. For powers below 2, a step reduces
            an outer weight at most by half.
        weights: `sphere` keeps weights of length one, from a uniform start; `free` starts from N(0, 1 / d).
        constant: whether the inputs get a last coordinate that is always one.
        descent: number and size of steps, and times of measurement; by default a line search chooses the size.
        seed: seed of the initial weights.
        device: `auto` is the GPU if there is one.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> x = np.linspace(-1, 1, 50)[:, None]
        >>> runs = tl.two_timescale(x, np.sin(3 * x[:, 0]), width=20, ridge=1e-3)
        >>> bool(runs.pmse[-1] <= runs.pmse[0])
        True

    References:
        barboni2025: Barboni, Peyre and Vialard, arXiv 2504.18208.
    """
