"""Online SGD of a student of a teacher on isotropic Gaussian inputs, only in its order parameters.

A step needs the pre-activations of an input, which are normal, and its squared length. Both are drawn from their exact
distribution, so that a step takes as long in any dimension N:

    Q_kl += (f_k z_l + f_l z_k) / N + f_k f_l |x|^2 / N^2,    R_km += f_k n_m / N,    f_k = -eta v_k g'(z_k) error.
"""

from collections.abc import Iterable

import numpy as np
from numba import njit

from twolayer.model.networks.activations import Activation, compiled_slope, compiled_value
from twolayer.model.teachers.teacher_student import OrderParameters

_BLOCK = 4096  # number of inputs whose random numbers are drawn at a time


def order_parameter_path(
    order: OrderParameters,
    v: np.ndarray,
    A: np.ndarray,
    *,
    student: Activation,
    teacher: Activation,
    learning_rate: float,
    label_noise: float,
    dimension: int,
    times: Iterable[float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the covariances (T, K + M, K + M) of all pre-activations at times of one run.

    Args:
        order: Q, R and T at the start. v: (K,) and A: (M,), second layers, which are constant.
        learning_rate: learning rate of the first layer. label_noise: standard deviation.
        dimension: N, at least K + M. times: times in units of N steps, increasing.
    """
    C = np.block([[order.Q, order.R], [order.R.T, order.T]])
    taken, covariances, fields = 0, [], len(C)
    for time in times:
        while (count := min(round(time * dimension) - taken, _BLOCK)) > 0:
            normals, noise = rng.standard_normal((count, fields)), label_noise * rng.standard_normal(count)
            lengths = np.sum(normals**2, axis=1) + rng.chisquare(dimension - fields, count)
            _take_steps(C, v, A, student.compiled, teacher.compiled, learning_rate, normals, noise, lengths, dimension)
            taken += count
        covariances.append(C.copy())
    return np.array(covariances)


@njit(cache=True)
def _take_steps(C, v, A, student, teacher, learning_rate, normals, noise, lengths, dimension):
    """Change the covariance C of the pre-activations by a step for each row of normal numbers."""
    hidden, root, z, f = v.size, np.zeros_like(C), np.empty(len(C)), np.empty(v.size)
    for step in range(len(normals)):
        _fill_root(C, root)
        error = -noise[step]
        for a in range(z.size):
            z[a] = 0.0
            for b in range(a + 1):
                z[a] += root[a, b] * normals[step, b]
            if a < hidden:
                error += v[a] * compiled_value(student, z[a])
            else:
                error -= A[a - hidden] * compiled_value(teacher, z[a])
        for k in range(hidden):
            f[k] = -learning_rate * v[k] * compiled_slope(student, z[k]) * error / dimension
        for k in range(hidden):
            for a in range(z.size):
                change = f[k] * z[a]
                if a < hidden:
                    change += f[a] * z[k] + f[k] * f[a] * lengths[step]
                C[k, a] += change
                if a >= hidden:
                    C[a, k] = C[k, a]


@njit(cache=True)
def _fill_root(C, root):
    """Fill the lower triangular root of a covariance, even if fields depend on each other."""
    for a in range(len(C)):
        for b in range(a + 1):
            rest = C[a, b]
            for c in range(b):
                rest -= root[a, c] * root[b, c]
            if a == b:
                root[a, a] = np.sqrt(max(rest, 0.0))
            else:
                root[a, b] = rest / root[b, b] if root[b, b] > 0 else 0.0
