"""Tasks on learning a teacher that sees the latents of generated inputs, from a generator to its learning curves."""

import numpy as np
import pytest
from tasks import make

from twolayer.errors import ConfigError

LEARNING = {"last_time": 10.0, "measurements": 6, "seed": 3}


@pytest.fixture(scope="module")
def generator():
    return make("sign_generator", {"widths": [200, 400], "seed": 1})


@pytest.fixture(scope="module")
def moments(generator):
    return make("moments", {"seed": 0}, generator=generator)


def test_sampled_moments_are_the_exact_ones_within_their_errors(generator, moments):
    sampled = make("moments", {"seed": 2, "samples": 20_000}, generator=generator)
    for name in ("Omega", "Phi"):
        distance = np.linalg.norm(sampled[name] - moments[name])
        assert 0.95 < distance / float(sampled[f"{name}_error"]) < 1.05  # a norm of 10^4 and more independent errors
        assert float(moments[f"{name}_error"]) == 0


@pytest.mark.slow
def test_equations_and_simulation_start_together_and_stay_together(generator, moments):
    theory = make("teacher_curve", {"learning": LEARNING, "nodes": 24}, moments=moments)
    sgd = make("generator_sgd", {"learning": LEARNING, "seeds": 6, "seed": 4}, generator=generator, moments=moments)
    for name in ("pmse", "Q", "R", "v"):
        np.testing.assert_allclose(sgd[name].isel(time=0, seed=0), theory[name].isel(time=0), atol=1e-12)
    assert (int(sgd.latent_size), int(sgd.input_size)) == (200, 400)
    later = dict(time=slice(1, None))
    mean = sgd.pmse.mean("seed").isel(later)
    assert float(abs(mean / theory.pmse.isel(later) - 1).mean()) < 0.01  # seeds spread by 1 percent
    assert float(abs(sgd.test_pmse.mean("seed") / sgd.pmse.mean("seed") - 1).mean()) < 0.02  # 60,000 test inputs


def test_exact_moments_are_known_for_one_layer_only():
    deep = make("sign_generator", {"widths": [10, 10, 20], "seed": 1})
    with pytest.raises(ConfigError, match="exact moments are known only for one layer of sign units: give a number"):
        make("moments", {"seed": 0}, generator=deep)


def test_the_first_time_comes_before_the_last():
    with pytest.raises(ConfigError, match=r"first_time is 0.1: make it less than last_time, 0.05"):
        make("teacher_curve", {"learning": LEARNING | {"last_time": 0.05}})
