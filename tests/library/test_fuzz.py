"""Every public function, with arguments that hypothesis draws: it answers, or names what is wrong.

The suite tries 12 sets of arguments of most functions, always the same ones. With TWOLAYER_FUZZ=200 it tries 200 new
ones of each function, which takes about an hour of one core.
"""

import os
import signal
import warnings

import fuzzing
import numpy as np
import pytest
from fuzzing import Drawn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import twolayer as tl
from twolayer.experiments import TASKS

FUZZ = "TWOLAYER_FUZZ"
EXAMPLES = int(os.environ.get(FUZZ, 12))
LONGEST = 300  # seconds of a call, the first of which compiles
SLOW = {
    "phase_row": 2,
    "learning_curve": 2,
    "fixed_point": 1,
    "order_parameter_sgd": 2,
    "online_sgd": 2,
    "convolutional_generator": 8,
    "feature_step": 8,
    "image_sweep": 8,
    "image_theory": 8,
    "scaling_row": 8,
    "torus_descent": 8,
}  # examples in the suite
TRAINING = {
    "conditional_gan",
    "projected_features",
    "trained_flow",
    "trained_generator",
    "image_training",
}  # a minute a call: only on demand
FILES = {"named_generator", "published_conditional_gan", "published_generator"}  # draws have none of their files
ENOUGH = 8  # a function answers one of so many examples at least, or the examples test only its refusals
# Values that a result has no number for: nothing was taken along that axis, or it is undefined for one sample.
UNDEFINED = {"escape_time", "median_escape_time"}


class Endless(BaseException):
    """A call takes longer than any of its size may."""


def _stop(*_):
    raise Endless


def examples(name):
    return EXAMPLES if FUZZ in os.environ else SLOW.get(name, EXAMPLES)


def answers_or_names(name, choose):
    """Call a function with arguments that `choose` draws, and return whether it answers."""
    try:
        arguments = Drawn(choose).arguments(name)
    except tl.TwolayerError:
        return False  # a class refuses its own arguments
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        result = getattr(tl, name)(**arguments)
    except tl.TwolayerError as error:
        text = str(error)
        assert "\n" not in text
        named = fuzzing.names_an_argument(name, text)
        assert named or str(arguments.get("images", "\0")) in text, text  # a file of the folder of images
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if "converged" in result:  # other values of a sweep are NaN
        result = result.where(result.converged == 1, 0.0)
    for variable, values in result.data_vars.items():
        if values.dtype.kind == "f" and variable not in UNDEFINED:
            assert not np.isnan(values.values).any(), variable
    return True


@pytest.mark.parametrize("name", [name for name in TASKS if FUZZ in os.environ or name not in TRAINING])
def test_it_answers_or_names_what_is_wrong(name):
    answers = []

    @settings(
        max_examples=examples(name),
        derandomize=FUZZ not in os.environ,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink] if FUZZ in os.environ else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers.append(answers_or_names(name, lambda values: data.draw(st.sampled_from(list(values)))))

    run()
    assert any(answers) or len(answers) < ENOUGH or name in FILES


CLASSES = [
    tl.Mixture, tl.Student, tl.Schedule, tl.Geometry, tl.MixtureProblem, tl.Descent, tl.Axes, tl.ImageAxes,
    tl.SpikedData, tl.TeacherLearning, tl.ConvexProblem, tl.FeatureMap,
    tl.FeatureCovariances,
]  # fmt: skip
ODD = [
    None, 0, -1, 1, 1.5, np.nan, np.inf, 1e300, 10**400, "x", "", [], [[]], [[1, 2], [3]], {}, object(), np.eye(2),
    np.ma.masked_array([1.0], [True]), 1j, b"x", True, [None], ["x"], np.array("x"), lambda x: x, len, {"linspace": 3},
]  # fmt: skip


def made_or_refused(make):
    """What a function makes, or None if it refuses its arguments in one line."""
    refusals = []
    try:
        return make()
    except tl.ConfigError as error:
        refusals.append(str(error))
    assert "\n" not in refusals[0]
    return None


@pytest.mark.parametrize("cls", CLASSES)
@settings(max_examples=50 if FUZZ not in os.environ else EXAMPLES)
@given(st.data())
def test_classes_with_odd_values(cls, data):
    names = [name for name in fuzzing.hints_of(cls) if name != "task"]
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
    values = {name: data.draw(st.sampled_from(ODD)) for name in chosen}
    made = made_or_refused(lambda: cls(**values))
    if made is None:
        return
    assert made == cls(**values)
    assert hash(made) == hash(cls(**values))


@pytest.mark.parametrize("make", [tl.Activation.of, lambda value: tl.Generator(value, 2)])
@pytest.mark.parametrize("odd", range(len(ODD)))
def test_functions_of_ones_own(make, odd):
    made_or_refused(lambda: make(ODD[odd]))


@pytest.mark.parametrize("odd", range(len(ODD)))
def test_files(odd, tmp_path):
    for call in (lambda: tl.read(ODD[odd]), lambda: tl.write(ODD[odd], tmp_path / "x.nc")):
        with pytest.raises(tl.TwolayerError):
            call()
