"""Results name a custom function as their parameters do, by `custom:` and its name."""

import json

import numpy as np
import pytest

import twolayer as tl
from twolayer.errors import ConfigError, ResultError


def bump(x):
    return np.tanh(x) + x / 3


DATA, AXES = tl.SpikedData(input_dimension=30, samples=40), tl.Axes(width=[0.5])
ISOTROPIC = tl.SpikedData(input_dimension=30, samples=40, ranks=[0], ratios=[1])
CALLS = {
    "one_step_simulation": lambda **given: tl.one_step_simulation(DATA, AXES, seeds=2, **given),
    "one_step_theory": lambda **given: tl.one_step_theory(DATA, AXES, seeds=2, seed=0, **given),
    "frozen_features": lambda **given: tl.frozen_features(DATA, AXES, **given),
    "giant_step_limit": lambda **given: tl.giant_step_limit(
        ISOTROPIC, tl.Axes(step_per_unit=[2.0]), width=1, ridge=0.1, **given
    ),
    "conditional_outputs": lambda **given: tl.conditional_outputs(
        sizes=[20], structures=2, samples=100, seeds=2, **given
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_coordinate_has_the_names_of_the_parameters(call):
    result = call(activations=["tanh", bump, tl.Activation.of(np.sin, name="tanh")])
    names = ["tanh", "custom:bump", "custom:tanh"]
    assert result.activation.values.tolist() == json.loads(result.attrs["params"])["activations"] == names


def test_a_point_without_result_has_the_name_of_the_parameters():
    zero = tl.Activation.of(np.zeros_like, name="zero")
    with pytest.warns(tl.UnconvergedPoint, match="activation custom:zero is NaN"):
        CALLS["frozen_features"](activations=["tanh", zero])


@pytest.mark.parametrize("activations", [["relu", "relu"], [lambda x: x, lambda x: np.sin(x)]])
def test_two_functions_of_one_name_are_refused(activations):
    message = (
        r"activations has the name '(relu|custom:<lambda>)' twice: give each function once, and different functions "
        r"different names, as in Activation.of\(function, name='other'\)"
    )
    with pytest.raises(ConfigError, match=message):
        CALLS["frozen_features"](activations=activations)


def test_a_file_cannot_contain_a_function(tmp_path):
    features = tl.random_feature_covariances(latent_dimension=4, features=3, activation=bump)
    message = "has the function 'custom:bump' as activation, which a file cannot contain: use a named activation"
    with pytest.raises(ResultError, match=message):
        tl.write(features, tmp_path / "features.nc")
