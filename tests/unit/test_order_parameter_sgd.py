"""SGD in order parameters against SGD of the weights: in distribution over many runs, and step by step.

All comparisons of distributions together fail by chance with probability `FALSE_ALARM` at most: every p-value has its
share.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import STEEP, WITH_SLOPE
from scipy.stats import ks_2samp, kstest, levene, ttest_ind

from twolayer.errors import ConfigError, NotConverged
from twolayer.model.mixtures.gaussian_mixtures import IsotropicMixture
from twolayer.model.mixtures.standard_mixtures import circle, from_means, xor
from twolayer.model.networks.activations import ERF, LINEAR, RELU, TANH, Activation
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.simulation.mixtures import order_parameter_sgd
from twolayer.simulation.mixtures.online_sgd import online_sgd
from twolayer.simulation.mixtures.order_parameter_inputs import draw_numbers
from twolayer.simulation.mixtures.order_parameter_sgd import order_parameter_paths, run_order_parameters
from twolayer.theory.mixtures.mixture_equations import IsotropicState

FALSE_ALARM = 1e-3
CHAIN_RUNS = 1000  # so that a learning rate 2 % off is noticed with erf, 4 % off with relu
seeds = st.integers(0, 2**32 - 1)


def overlaps(W, plane):
    return W @ W.T / W.shape[1], W[:, :plane].T / np.sqrt(W.shape[1])


def start(seed, hidden, dimension):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((hidden, dimension)), rng.standard_normal(hidden)


def chains(mixture, start, dimension, activation, learning, times, rng, runs):
    """Paths from a state (Q, R, v)."""
    options = {"activation": activation, "dimension": dimension, "times": times, "rng": rng}
    return order_parameter_paths(mixture, [IsotropicState(*start)] * runs, Learning(*learning), **options)


def chain(*arguments):
    """One of them."""
    return chains(*arguments, runs=1)[0]


def three_clusters(length, variance):
    """Unequal priors, a mean that is no multiple of another, and one at the origin."""
    means = length * np.array([[1.0, 0.0], [-0.4, 0.8], [0.0, 0.0]])
    return IsotropicMixture(means, np.array([-1.0, -1.0, 1.0]), np.array([0.15, 0.25, 0.6]), variance)


def entries(Q, R, v):
    """(runs, T, number of distinct entries) of the paths of many runs."""
    row, column = np.tril_indices(Q.shape[-1])
    return np.concatenate([Q[..., row, column], R.reshape(*R.shape[:2], -1), v], axis=-1)


def smallest_p_value(samples, others):
    """Over all entries that vary: of equal means, equal spreads and equal distributions; and the number of all."""
    varying = np.ptp(samples, axis=0) > 0
    samples, others = samples[:, varying], others[:, varying]
    p_values = [
        *ttest_ind(samples, others, equal_var=False).pvalue,
        *(levene(a, b).pvalue for a, b in zip(samples.T, others.T, strict=True)),
        *ks_2samp(samples, others).pvalue,
    ]
    return min(p_values), len(p_values)


@dataclass(frozen=True)
class Case:
    """What the chain is compared with SGD of the weights on."""

    mixture: IsotropicMixture
    dimension: int
    activation: Activation
    runs: int
    times: tuple = (1.0, 10.0)
    hidden: int = 3
    learning_rate: float = 0.3
    weight_decay: float = 0.0
    train_second_layer: bool = True
    inside: bool = False

    @property
    def learning(self):
        return self.learning_rate, self.weight_decay, self.train_second_layer

    @cached_property
    def start(self):
        W, v = start(7, self.hidden, self.dimension)
        if self.inside:  # the space of the means
            W[:, :2], W[:, 2:] = np.sqrt(self.dimension) * W[:, :2], 0.0
        return W, v

    @cached_property
    def embedded(self):
        return self.mixture.embed(self.dimension)

    def weights_samples(self):
        network, learning, times = Network(*self.start, self.activation), Learning(*self.learning), np.array(self.times)
        runs = [
            online_sgd(self.embedded, network, learning, times=times, rng=np.random.default_rng((0, seed)))
            for seed in range(self.runs)
        ]
        Q, M, v = (np.array([getattr(run, name) for run in runs]) for name in ("Q", "M", "v"))
        R = np.linalg.pinv(self.mixture.means) @ M  # what the constant input adds to Q is in R
        return entries(self.of_first_cluster(Q), R, v)

    def chain_samples(self):
        (W, v), times = self.start, np.array(self.times)
        state = (*overlaps(W, self.mixture.means.shape[1]), v)
        given = self.mixture, state, self.dimension, self.activation, self.learning, times
        paths = chains(*given, np.random.default_rng(1), CHAIN_RUNS)
        covariances = np.array(
            [[distribution.covariance for distribution in path.local_fields(self.mixture)] for path in paths]
        )
        R, v = (np.array([getattr(path, name) for path in paths]) for name in ("R", "v"))
        return entries(self.of_first_cluster(covariances), R, v)

    def of_first_cluster(self, covariances):
        """Of inputs of variance one, where each cluster has its own, or all have the same."""
        first = covariances[:, :, 0] if covariances.ndim == 5 else covariances
        return first / self.mixture.variances[0]


SMALL = {
    "erf": Case(xor(0.5), 50, ERF, 1000, weight_decay=0.1),
    "linear": Case(xor(0.5), 50, LINEAR, 1000, weight_decay=0.1),
    "relu": Case(xor(0.05), 50, RELU, 1000),
    "tanh": Case(three_clusters(1.0, 0.3), 50, TANH, 1000),
    "frozen second layer": Case(three_clusters(1.0, 0.3), 50, ERF, 1000, weight_decay=0.2, train_second_layer=False),
    "high signal": Case(three_clusters(np.sqrt(50), 0.5), 50, RELU, 1000, weight_decay=0.1, learning_rate=0.1),
    "biases": Case(three_clusters(1.0, 0.3).with_constant_input(), 50, RELU, 1000, weight_decay=0.1),
    "own variances": Case(
        from_means([[1, 0], [0, 1], [-1, 0]], [1, -1, 1], [0.3, 0.3, 0.4], np.array([0.2, 2, 0.7])), 50, RELU, 1000
    ),
    "start inside": Case(xor(0.5), 50, RELU, 1000, inside=True),
    "hardly any rest": Case(circle(3, 0.5), 6, RELU, 1000, times=(1.0, 5.0)),
}
LARGE = {
    "erf": Case(three_clusters(1.0, 0.5), 250, ERF, 400, (0.5, 3.0), weight_decay=0.1),
    "linear": Case(xor(0.5), 250, LINEAR, 400, (0.5, 3.0), weight_decay=0.1, train_second_layer=False),
    "relu": Case(xor(0.2), 250, RELU, 400, (0.5, 3.0), weight_decay=0.01),
    "high signal": Case(three_clusters(np.sqrt(250), 0.5), 250, RELU, 400, (0.5, 3.0), learning_rate=0.1),
}
COMPARED_DISTRIBUTIONS = len(SMALL) + len(LARGE) + 1  # one of permuted units


def assert_same_law(samples, others):
    smallest, count = smallest_p_value(samples.reshape(len(samples), -1), others.reshape(len(others), -1))
    assert smallest > FALSE_ALARM / COMPARED_DISTRIBUTIONS / count


def assert_same_law_as_weights(case):
    assert_same_law(case.weights_samples(), case.chain_samples())


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_same_law_as_weights_in_few_dimensions(name):
    assert_same_law_as_weights(SMALL[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_same_law_as_weights_in_many_dimensions(name):
    assert_same_law_as_weights(LARGE[name])


@pytest.mark.slow
def test_permuted_hidden_units_learn_in_the_same_law():
    mixture, (W, v), order = xor(0.2), start(3, 4, 40), np.array([2, 0, 3, 1])
    finals = []
    for units in (np.arange(4), order):
        back, state = np.argsort(units), (*overlaps(W[units], 2), v[units])
        rng = np.random.default_rng(units[0])
        runs = chains(mixture, state, 40, RELU, (0.3, 0.01), np.array([8.0]), rng, CHAIN_RUNS)
        paths = (np.array([getattr(run, name) for run in runs])[..., back] for name in ("Q", "R", "v"))
        finals.append(entries(next(paths)[:, :, back], *paths))
    assert_same_law(*finals)


def drawn_numbers(mixture, hidden, dimension, rng):
    """What the steps of one network draw, one after the other."""
    size = mixture.means.shape[1] + hidden
    while True:
        normals, uniforms, lengths = draw_numbers(
            rng, order_parameter_sgd.BLOCK, size, dimension - size, order_parameter_sgd.WIDTH
        )
        yield from zip(uniforms[:, 0], normals[:, :, 0].astype(float), lengths[:, 0], strict=True)


def explicit_input(mixture, W, numbers, spare):
    """An input in N dimensions, and its label, from the numbers of a compiled step; `spare` turns all the rest."""
    (uniform, normals, length), plane, dimension = numbers, mixture.means.shape[1], W.shape[1]
    cluster = np.searchsorted(np.cumsum(mixture.weights), uniform, side="right")
    basis, triangle = np.linalg.qr(np.column_stack([W[:, plane:].T, spare.standard_normal(dimension - plane)]))
    outside = basis[:, :-1] * np.sign(np.diag(triangle)[:-1]) @ normals[plane:] + length * basis[:, -1]
    x = np.sqrt(mixture.variance) * np.concatenate([normals[:plane], outside])
    x[:plane] += mixture.means[cluster]
    return x, mixture.labels[cluster]


@pytest.mark.parametrize("name", WITH_SLOPE)
@pytest.mark.parametrize("train_second_layer", [True, False])
@given(seed=seeds, hidden=st.integers(1, 4), spare_dimensions=st.integers(1, 9))
@settings(max_examples=10, deadline=None)
def test_steps_are_those_of_weights_that_see_the_same_input(name, train_second_layer, seed, hidden, spare_dimensions):
    activation, mixture, N = WITH_SLOPE[name], three_clusters(1.5, 0.4), 2 + hidden + spare_dimensions
    eta = 0.002 if name in STEEP else 0.05
    (W, v), rate, decay = start(seed, hidden, N), eta / N, 1 - eta * 0.3 / N
    times, learning = np.array([0.0, 1.0, 12.0]) / N, (eta, 0.3, train_second_layer)
    run = chain(mixture, (*overlaps(W, 2), v), N, activation, learning, times, np.random.default_rng(seed))
    replay, spare = drawn_numbers(mixture, hidden, N, np.random.default_rng(seed)), np.random.default_rng(seed + 1)
    for step in range(13):
        if step in (0, 1, 12):
            record = (0, 1, 12).index(step)
            for found, expected in zip((run.Q, run.R, run.v), (*overlaps(W, 2), v), strict=True):
                np.testing.assert_allclose(found[record], expected, rtol=1e-8, atol=1e-8)
        x, label = explicit_input(mixture, W, next(replay), spare)
        fields = W @ x / np.sqrt(N)
        error = label - v @ activation(fields)
        W = decay * W + rate * np.sqrt(N) * error * np.outer(v * activation.slope(fields), x)
        v = decay * v + rate * error * activation(fields) if train_second_layer else v


def linear_unit_moments(r, square, q, gain, decay, mean, variance, dimension):
    """(<R>, <R^2>, <Q>) after a step of f = lambda towards label 1 in one cluster, from those before.

    lambda = R x + sqrt(variance * outside) xi with x, xi along the mean and the weights outside, outside = Q - R^2.
    """
    outside = q - square
    first, second = mean, mean**2 + variance
    third, fourth = mean**3 + 3 * mean * variance, mean**4 + 6 * mean**2 * variance + 3 * variance**2
    plain = 1 - 2 * r * first + square * second  # <(1 - R x)^2>
    error = plain + variance * outside  # <(1 - lambda)^2>
    along = second - 2 * r * third + square * fourth + variance * outside * second  # <(1 - lambda)^2 x^2>
    power = along + variance * (plain + 3 * variance * outside) + variance * (dimension - 2) * error
    return (
        decay * r + gain * (first - r * second),
        decay**2 * square + 2 * decay * gain * (r * first - square * second) + gain**2 * along,
        decay**2 * q + 2 * decay * gain * (r * first - square * second - variance * outside) + gain**2 * power,
    )


@pytest.mark.slow
def test_mean_of_many_linear_runs_follows_its_exact_recursion():
    # Labels and inputs of both clusters change sign together: learning them is learning either one.
    mixture = IsotropicMixture(np.array([[0.8], [-0.8]]), np.array([1.0, -1.0]), np.array([0.3, 0.7]), 0.6)
    N, learning_rate, weight_decay, steps, runs = 8, 0.9, 0.2, np.array([1, 8, 40]), 10_000
    rng, state = np.random.default_rng(5), (np.array([[0.7]]), np.array([[-0.3]]), np.ones(1))
    paths = chains(mixture, state, N, LINEAR, (learning_rate, weight_decay, False), steps / N, rng, runs)
    samples = np.array([np.column_stack([p.R.ravel(), p.R.ravel() ** 2, p.Q.ravel()]) for p in paths])
    moments, expected = (-0.3, 0.09, 0.7), []
    gain, decay = learning_rate / N, 1 - learning_rate * weight_decay / N
    for step in range(1, 41):
        moments = linear_unit_moments(*moments, gain, decay, 0.8, 0.6, N)
        if step in steps:
            expected.append(moments)
    z = (samples.mean(axis=0) - expected) / (samples.std(axis=0) / np.sqrt(runs))
    assert np.max(np.abs(z)) < 4.5


@pytest.mark.parametrize("length", [1.0, 1e-10])
def test_weight_decay_alone_shrinks_geometrically(length):
    W, v = length * start(0, 3, 20)[0], np.zeros(3)
    Q, R = overlaps(W, 2)
    run = chain(xor(0.1), (Q, R, v), 20, LINEAR, (0.5, 0.4, False), np.array([3.0]), np.random.default_rng(0))
    decay = (1 - 0.5 * 0.4 / 20) ** 60
    np.testing.assert_allclose(run.Q[0], Q * decay**2, rtol=1e-12)
    np.testing.assert_allclose(run.R[0], R * decay, rtol=1e-12)


@pytest.mark.parametrize("field", [26.0, 26.8, 27.2, 40.0])
def test_a_step_whose_square_underflows_leaves_other_units_alone(field):
    # A saturated unit inside the space of the means steps by exp(-field^2 / 2) and less; the other one not at all.
    mixture = IsotropicMixture(np.array([[field]]), np.array([-1.0]), np.ones(1), 1e-6)
    Q, R, v = np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([[1.0, 0.0]]), np.array([1.0, 0.0])
    run = chain(mixture, (Q, R, v), 10, ERF, (0.1, 0.0, False), np.array([10.0]), np.random.default_rng(0))
    np.testing.assert_allclose(run.Q[0], Q, rtol=0, atol=1e-13)


def test_units_that_start_the_same_stay_the_same():
    (W, v), N = start(1, 3, 30), 30
    W[2], v[2] = W[0], v[0]
    times, rng = np.array([0.0, 20.0]), np.random.default_rng(1)
    run = chain(xor(0.2), (*overlaps(W, 2), v), N, ERF, (0.2, 0.01), times, rng)
    for path in (run.Q, run.R, run.v):
        np.testing.assert_allclose(path[..., 2], path[..., 0], rtol=0, atol=1e-6)  # Q - R^T R is singular to rounding


def test_weights_inside_the_space_of_the_means_are_kept_at_time_zero():
    R, v = np.random.default_rng(0).standard_normal((2, 4)), np.ones(4)
    run = chain(xor(0.2), (R.T @ R, R, v), 100, RELU, (0.1,), [0.0, 0.05], np.random.default_rng(0))
    np.testing.assert_allclose(run.Q[0], R.T @ R, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(run.R[0], R)
    outside = run.Q[1] - run.R[1].T @ run.R[1]
    assert np.linalg.eigvalsh(outside)[-1] > 1e-6
    assert np.linalg.eigvalsh(outside)[0] > -1e-14


def test_frozen_second_layer_keeps_its_weights():
    W, v = start(0, 3, 30)
    times, rng = np.array([0.0, 1.0, 4.0]), np.random.default_rng(0)
    run = chain(xor(0.1), (*overlaps(W, 2), v), 30, RELU, (0.1, 0.5, False), times, rng)
    np.testing.assert_array_equal(run.v, np.tile(v, (3, 1)))
    assert np.all(run.R[-1] != run.R[0])


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_same_seed_same_run_however_often_it_is_measured(seed):
    (W, v), mixture = start(seed, 2, 15), circle(3, 0.2)
    dense, sparse = (
        chain(mixture, (*overlaps(W, 2), v), 15, RELU, (0.1, 0.01), times, np.random.default_rng(seed))
        for times in (np.array([0.0, 0.2, 0.2, 1.0, 2.0, 6.0]), np.array([2.0, 6.0]))
    )
    for name in ("times", "Q", "R", "v"):
        np.testing.assert_array_equal(getattr(dense, name)[-2:], getattr(sparse, name))


def test_initial_arrays_are_left_alone_and_measured_at_time_zero():
    W, v = start(0, 2, 10)
    state = (*overlaps(W, 2), v)
    copies = [array.copy() for array in state]
    run = chain(xor(0.1), state, 10, RELU, (0.1,), np.array([0.0, 1.0]), np.random.default_rng(0))
    for array, copy, path in zip(state, copies, (run.Q, run.R, run.v), strict=True):
        np.testing.assert_array_equal(array, copy)
        np.testing.assert_allclose(path[0], copy, rtol=1e-13, atol=1e-14)


def test_overlaps_of_many_dimensions_are_taken_as_they_come():
    W, v = start(0, 4, 1_000_000)
    W[2:, 3:] = 0  # Q - R^T R is singular up to the rounding of sums over a million coordinates
    times, rng = np.array([0.0, 1e-3]), np.random.default_rng(0)
    run = chain(xor(0.1), (*overlaps(W, 2), v), 1_000_000, RELU, (0.1,), times, rng)
    np.testing.assert_allclose(run.Q[0], overlaps(W, 2)[0], rtol=0, atol=1e-12)


def test_divergence_names_its_step():
    mixture, (W, v), N = xor(1.0), start(0, 3, 20), 20
    replay = drawn_numbers(mixture, 3, N, np.random.default_rng(8))
    spare, first, second, step = np.random.default_rng(0), W, v, 0
    while True:
        step += 1
        x, label = explicit_input(mixture, first, next(replay), spare)
        fields = first @ x / np.sqrt(N)
        error = label - second @ fields
        if abs(error) > 1e6:
            break
        first, second = first + 30 / np.sqrt(N) * error * np.outer(second, x), second + 30 / N * error * fields
    times, rng = np.array([0.0, 1.0, 1e4]), np.random.default_rng(8)
    with pytest.raises(NotConverged, match=rf"diverged at step {step} .*lower the learning rate"):
        chain(mixture, (*overlaps(W, 2), v), N, LINEAR, (30.0,), times, rng)


@pytest.mark.parametrize("name", WITH_SLOPE)
def test_a_second_layer_that_starts_with_nan_diverges_at_once(name):
    W, v = start(0, 2, 10)
    v[1] = np.nan
    with pytest.raises(NotConverged, match="diverged at step 1 "):
        chain(xor(1.0), (*overlaps(W, 2), v), 10, WITH_SLOPE[name], (0.1,), [1.0], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Q": np.eye(3)}, "shapes"),
        ({"R": np.zeros((1, 2))}, "shapes"),
        ({"N": 4}, "need at least 5"),
        ({"times": [1.0, 0.5]}, "never decrease"),
        ({"times": [-1.0]}, "never decrease"),
        ({"times": []}, "never decrease"),
        ({"Q": np.array([[1.0, 0.2], [0.1, 1.0]])}, "not symmetric"),
        ({"Q": np.array([[1.0, np.nan], [np.nan, 1.0]])}, "not finite"),
        ({"R": np.array([[np.nan, 0.0], [0.0, 0.0]])}, "not finite"),
        ({"R": np.array([[1.01, 0.0], [0.0, 0.5]])}, "compute Q and R from the same weights"),
        ({"activation": "sign"}, "'sign', whose slope is zero: use one with a slope for online SGD"),
        ({"activation": "reloo"}, "unknown activation 'reloo'"),
        ({"activation": 3}, "activation is 3: give a name"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(change, message):
    given = {"Q": np.eye(2), "R": np.zeros((2, 2)), "N": 10, "activation": RELU, "times": [1.0]} | change
    Q, R, N, activation, times = given.values()
    with pytest.raises(ConfigError, match=message):
        chain(xor(0.1), (Q, R, np.ones(2)), N, activation, (0.1,), times, np.random.default_rng(0))


def test_one_dimension_beyond_plane_and_units_is_enough():
    Q, rng = np.eye(2), np.random.default_rng(0)
    run = chain(xor(0.1), (Q, np.zeros((2, 2)), np.ones(2)), 5, RELU, (0.1,), np.array([4.0]), rng)
    assert np.all(np.isfinite(run.Q))


@pytest.mark.parametrize("count", [1, 3, 4, 65])
def test_all_networks_learn_and_none_as_another(count):
    """However many: those that fill up the places of a group, and the groups, leave no trace."""
    (W, v), times = start(0, 2, 20), np.array([0.0, 1.0])
    state = (*overlaps(W, 2), v)
    paths = chains(xor(0.2), state, 20, RELU, (0.3, 0.1), times, np.random.default_rng(5), count)
    assert len(paths) == len({path.v[-1].tobytes() for path in paths}) == count
    for path in paths:
        np.testing.assert_array_equal(path.times, times)
        np.testing.assert_allclose(path.Q[0], state[0], atol=1e-12)


def test_each_has_its_rates_and_one_that_diverges_stays():
    W, v = start(0, 2, 20)
    state = IsotropicState(*overlaps(W, 2), v)
    rules = [Learning(rate, decay) for rate, decay in ((0.1, 0.0), (0.0, 0.5), (1e5, 0.0))]
    options = {"activation": RELU, "dimension": 20, "times": np.array([0.0, 1.0, 30.0])}
    paths = run_order_parameters(xor(0.5), [state] * 3, rules, **options, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(paths.diverged, [False, False, True])
    assert paths.taken[0] == paths.taken[1] == 30 * 20 > paths.taken[2] > 0
    np.testing.assert_allclose(paths.Q[-1, 1], state.Q, rtol=1e-12)  # the decay is the learning rate's share
    assert np.all(np.isfinite(paths.Q))
    np.testing.assert_allclose(paths.Q[-1, 2], paths.Q[1, 2], rtol=1e-9)
    assert paths.Q.shape == (3, 3, 2, 2)


@pytest.mark.parametrize("freedom", [3, 50, 996])
def test_lengths_are_roots_of_chi_squared(freedom):
    _, _, lengths = draw_numbers(np.random.default_rng(4), 500, 4, freedom, 64)
    assert kstest(lengths.ravel() ** 2, "chi2", (freedom,)).pvalue > 1e-3
