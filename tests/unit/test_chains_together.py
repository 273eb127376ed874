"""Many order-parameter chains at once: the law of one alone, and what happens to one that diverges."""

import numpy as np
import pytest
from scipy.stats import kstest

from twolayer.errors import NotConverged
from twolayer.model.activations import RELU
from twolayer.model.learning import Learning
from twolayer.model.mixtures import IsotropicMixture
from twolayer.simulation import chains_together
from twolayer.simulation.chains_together import order_parameter_chains, order_parameter_paths
from twolayer.simulation.order_parameter_chain import order_parameter_chain
from twolayer.theory.mixture_equations import IsotropicState

N, TIMES = 60, np.array([0, 1.0, 6.0])


def mixture():
    """Three clusters of unequal weights, means and noise."""
    means = np.array([[1.5, 0.0], [-0.5, 1.0], [0.3, -1.2]])
    variances = np.array([0.5, 0.8, 0.3])
    return IsotropicMixture(means, np.array([1.0, -1.0, 1.0]), np.array([0.5, 0.3, 0.2]), variances)


def state(hidden):
    weights = np.random.default_rng(0).standard_normal((hidden, 5)) / 2
    v = np.where(np.arange(hidden) % 2, -1.0, 1.0)
    return IsotropicState(weights @ weights.T, weights[:, :2].T.copy(), v)


@pytest.mark.slow
@pytest.mark.parametrize(("hidden", "train_second", "together"), [(1, False, 1000), (2, False, 64), (4, True, 7)])
def test_the_law_is_that_of_one_alone(hidden, train_second, together):
    """Means of all order parameters and of their squares, over 1000 runs or so and 600, within 5 standard errors."""
    start, learning = state(hidden), Learning(0.4, 0.1, train_second)
    options = {"activation": RELU, "dimension": N, "times": TIMES}
    rng, starts, rules = np.random.default_rng(1), [start] * together, [learning] * together
    groups = [order_parameter_chains(mixture(), starts, rules, **options, rng=rng) for _ in range(1000 // together)]
    alone = [
        order_parameter_chain(mixture(), start, learning, **options, rng=own)
        for own in np.random.default_rng(2).spawn(600)
    ]
    for name in ("Q", "R", "v"):
        found = np.concatenate([getattr(group, name) for group in groups], axis=1)
        expected = np.stack([getattr(one, name) for one in alone], axis=1)
        np.testing.assert_allclose(found[0], np.broadcast_to(expected[0, 0], found[0].shape), atol=1e-12)
        for power in (1, 2):
            error = np.sqrt(np.var(found**power, axis=1) / found.shape[1] + np.var(expected**power, axis=1) / 600)
            gap = np.abs(np.mean(found**power, axis=1) - np.mean(expected**power, axis=1))
            assert np.all(gap <= 5 * error + 1e-9), name


def test_each_has_its_rates_and_one_that_diverges_stays():
    rules = [Learning(rate, decay) for rate, decay in ((0.1, 0.0), (0.0, 0.5), (1e5, 0.0))]
    options = {"activation": RELU, "dimension": N, "times": TIMES, "rng": np.random.default_rng(3)}
    paths = order_parameter_chains(mixture(), [state(2)] * 3, rules, **options)
    np.testing.assert_array_equal(paths.diverged, [False, False, True])
    assert paths.taken[0] == paths.taken[1] == 6 * N > paths.taken[2]
    np.testing.assert_allclose(paths.Q[-1, 1], state(2).Q, rtol=1e-12)  # the decay is the learning rate's share
    assert np.all(np.isfinite(paths.Q))
    np.testing.assert_allclose(paths.Q[-1, 2], paths.Q[1, 2], rtol=1e-9)
    assert paths.Q.shape == (3, 3, 2, 2)


@pytest.mark.parametrize("freedom", [3, 50, 996])
def test_lengths_are_roots_of_chi_squared(freedom):
    _, _, lengths = chains_together._draws(np.random.default_rng(4), 500, 4, freedom, 64)
    assert kstest(lengths.ravel() ** 2, "chi2", (freedom,)).pvalue > 1e-3


@pytest.mark.parametrize("count", [1, 3, 4, 65])
def test_all_networks_learn_and_none_as_another(count):
    """However many: those that fill up the places of a group, and the groups, leave no trace."""
    options = {"activation": RELU, "dimension": N, "times": TIMES, "rng": np.random.default_rng(5)}
    paths = order_parameter_paths(mixture(), [state(2)] * count, Learning(0.4, 0.1), **options)
    assert len(paths) == len({path.v[-1].tobytes() for path in paths}) == count
    for path in paths:
        np.testing.assert_array_equal(path.times, TIMES)
        np.testing.assert_allclose(path.Q[0], state(2).Q, atol=1e-12)


def test_divergence_of_one_names_its_step():
    options = {"activation": RELU, "dimension": N, "times": np.array([50.0]), "rng": np.random.default_rng(6)}
    paths = order_parameter_chains(mixture(), [state(2)] * 8, [Learning(8.0, 0.0)] * 8, **options)
    assert paths.diverged.any()
    step = paths.taken[paths.diverged].min() + 1
    options["rng"] = np.random.default_rng(6)
    with pytest.raises(NotConverged, match=rf"diverged at step {step} .*lower the learning rate, which is 8"):
        order_parameter_paths(mixture(), [state(2)] * 8, Learning(8.0, 0.0), **options)


def test_a_second_layer_that_starts_with_nan_diverges_at_once():
    start = IsotropicState(state(2).Q, state(2).R, np.array([1.0, np.nan]))
    with pytest.raises(NotConverged, match="diverged at step 1 "):
        order_parameter_paths(
            mixture(),
            [state(2), start],
            Learning(0.1, 0.0),
            activation=RELU,
            dimension=N,
            times=TIMES,
            rng=np.random.default_rng(7),
        )
