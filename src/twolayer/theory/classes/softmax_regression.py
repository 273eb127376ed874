"""The replica equations of softmax regression on K classes.

The pulls e_c - p sum to zero over the classes, and the weights of all classes also sum to zero. The equations hold in
the K - 1 coordinates of the orthonormal complement B of (1, ..., 1).

Source: loureiro2021, learning Gaussian mixtures with generalised linear models.
"""

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import helmert
from scipy.special import logsumexp, ndtri
from scipy.stats import qmc

from twolayer.errors import NotConverged
from twolayer.model.mixtures.clusters import Clusters
from twolayer.theory.classes.class_outputs import ClassErrors, ClassOverlaps, answers
from twolayer.theory.numerics.anderson import fixed_point, followed
from twolayer.theory.replica.replica_equations import check_problem

_RADIUS = 6.5  # radius of the grid, in standard deviations
_GRID_DIMENSIONS = 3  # number of dimensions up to which nodes form a grid
_LOG2_POINTS = 12  # binary logarithm of the number of quasi-random nodes in more dimensions
_MOST_NODES = 2 * 10**5
_BUDGET = 10**7  # nodes of all averages of a solution, fifty times as many as usual


def softmax_overlaps(
    clusters: Clusters, sample_ratio: float, ridge: float, near: ClassOverlaps | None = None, *, bias: bool = True
) -> ClassOverlaps:
    """Return the solution for the cross-entropy -log softmax(z)_c.

    Args:
        clusters: their labels are the numbers of the classes. sample_ratio: alpha = n / d.
        near: a solution at a similar sample ratio, or None.
        bias: whether the outputs have biases, which the ridge does not penalise.

    Raises:
        ConfigError: sample ratio or ridge is not positive, or a class is missing.
        NotConverged: the iteration does not converge.
    """
    check_problem(sample_ratio, ridge)
    equations = _Equations(clusters, sample_ratio, clusters.class_count, bias)
    if near is not None:
        with suppress(NotConverged):
            return equations.overlaps(fixed_point(equations.update_at(ridge), equations.reduced(near), "this ridge"))
        equations.spent = 0  # a poor start does not use up the budget of the other start
    strong = sample_ratio * clusters.strong_ridge
    small = np.log(clusters.variances.mean(axis=1) / max(strong, ridge))  # hardly anything is learned
    start = equations.state(*(np.exp(small)[:, None, None] * np.eye(equations.K - 1),) * 2)
    return equations.overlaps(followed(equations.update_at, ridge, strong, start))


def softmax_errors(clusters: Clusters, overlaps: ClassOverlaps) -> ClassErrors:
    """Return the errors of a solution."""
    basis = helmert(overlaps.b.size)
    training, test = 0.0, 0.0
    for c, weight in enumerate(clusters.weights):
        k, V = int(clusters.labels[c]), basis @ overlaps.V[c] @ basis.T
        z, density = _outputs(basis @ (overlaps.b + overlaps.M[c]), basis @ overlaps.Q[c] @ basis.T)
        x = _training_outputs(z, V, basis, k)
        training += weight * float(density @ _cross_entropy(x @ basis, k))
        test += weight * float(density @ _cross_entropy(z @ basis, k))
    return ClassErrors(training, test, *answers(clusters, overlaps.b + overlaps.M, overlaps.Q), None)


def _cross_entropy(outputs, k):
    return logsumexp(outputs, axis=1) - outputs[:, k]


@dataclass(eq=False)
class _Equations:
    """The equations at any ridge. The unknowns are M, b, and log V and log Q of each cluster as triangles.

    Attributes:
        spent: number of nodes of all averages so far.
    """

    clusters: Clusters
    sample_ratio: float
    K: int
    bias: bool
    spent: int = 0

    def state(self, V, Q, M=None, b=None):
        """Return the unknowns of the iteration; M and b are zero by default."""
        C, r = len(V), self.K - 1
        M, b = (np.zeros(shape) if one is None else one for one, shape in ((M, (C, r)), (b, r)))
        upper = np.triu_indices(r)
        return np.concatenate([_log(V)[:, *upper].ravel(), _log(Q)[:, *upper].ravel(), M.ravel(), b])

    def parts(self, state):
        """Return V, Q, M and b of a state."""
        C, r = len(self.clusters.weights), self.K - 1
        upper, size = np.triu_indices(r), r * (r + 1) // 2
        V, Q = np.zeros((2, C, r, r))
        for matrices, values in ((V, state[: C * size]), (Q, state[C * size : 2 * C * size])):
            matrices[:, *upper] = matrices[:, *upper[::-1]] = values.reshape(C, size)
        rest = state[2 * C * size :]
        return _exp(V), _exp(Q), rest[: C * r].reshape(C, r), rest[C * r :]

    def reduced(self, overlaps):
        """Return the state of the overlaps of K outputs."""
        basis = helmert(self.K)
        V, Q = (basis @ matrices @ basis.T for matrices in (overlaps.V, overlaps.Q))
        return self.state(V, Q, overlaps.M @ basis.T, basis @ overlaps.b)

    def overlaps(self, state):
        """Return the overlaps of K outputs from a state."""
        basis, (V, Q, M, b) = helmert(self.K), self.parts(state)
        return ClassOverlaps(basis.T @ V @ basis, basis.T @ Q @ basis, M @ basis, b @ basis)

    def update_at(self, ridge):
        """Return the update of a state at this ridge."""
        basis, samples = helmert(self.K), self.sample_ratio * self.clusters.weights

        def update(state):
            V, Q, M, b = self.parts(state)
            found = []
            for c, k in enumerate(self.clusters.labels.astype(int)):
                z, density = _outputs(b + M[c], Q[c])
                self.spent += len(density)
                if self.spent > _BUDGET:
                    raise NotConverged("the averages over outputs need too many nodes: raise ridges")
                found.append([samples[c] * part for part in _conjugates(z, density, V[c], basis, k)])
            V_hat, q_hat, m_hat = (np.array(parts) for parts in zip(*found, strict=True))
            moved = b + np.linalg.solve(V_hat.sum(axis=0), m_hat.sum(axis=0)) if self.bias else b
            return self.state(*self._overlaps(ridge, V_hat, q_hat, m_hat), moved)

        return update

    def _overlaps(self, ridge, V_hat, q_hat, m_hat):
        means, variances = self.clusters.means, self.clusters.variances
        J, r = variances.shape[1], self.K - 1
        gain = np.linalg.inv(ridge * np.eye(r) + np.einsum("ckl,cj->jkl", V_hat, variances))
        weights = np.einsum("jkl,cl,cj->jk", gain, m_hat, means)
        V = np.einsum("cj,jkl->ckl", variances, gain) / J
        noise = gain @ np.einsum("ckl,cj->jkl", q_hat, variances) @ gain
        Q = np.einsum("cj,jkl->ckl", variances, noise / J + weights[:, :, None] * weights[:, None, :])
        return V, Q, means @ weights


def _conjugates(z, density, V, basis, k):
    """Return the mean stiffness, square and mean of the pulls of a cluster of class k, in K - 1 coordinates."""
    x = _training_outputs(z, V, basis, k)
    p = np.exp(x @ basis - logsumexp(x @ basis, axis=1, keepdims=True))
    f = basis[:, k] - p @ basis.T
    H = np.einsum("ik,nk,jk->nij", basis, p, basis) - (p @ basis.T)[:, :, None] * (p @ basis.T)[:, None, :]
    stiffness = np.einsum("n,nij->ij", density, np.linalg.solve(np.eye(len(V)) + H @ V, H))
    return (stiffness + stiffness.T) / 2, (density[:, None] * f).T @ f, density @ f


def _log(matrices):
    values, vectors = np.linalg.eigh(matrices)
    if not np.all(values > 0):
        raise ValueError("a covariance is not positive definite")
    return (vectors * np.log(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def _exp(matrices):
    values, vectors = np.linalg.eigh(matrices)
    return (vectors * np.exp(values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def _outputs(mean, covariance):
    """Return nodes z (n, K - 1) and weights of an average over N(mean, covariance).

    The root of the covariance is symmetric, so that nodes move smoothly even where eigenvectors do not.
    """
    values, vectors = np.linalg.eigh(covariance)
    r = len(mean)
    if r > _GRID_DIMENSIONS:
        xi, density = _quasi_random(r)
    else:
        spacing = min(0.5, 0.9 / math.sqrt(values[-1]))
        if (2 * _RADIUS / spacing) ** r > _MOST_NODES:
            raise NotConverged(
                f"an average over outputs of variance {values[-1]:.2g} needs more than {_MOST_NODES} nodes: raise "
                "ridges"
            )
        xi, density = _grid(r, spacing)
    return mean + xi @ ((vectors * np.sqrt(values)) @ vectors.T), density


def _grid(r, spacing):
    half = math.ceil(_RADIUS / spacing)
    axis = spacing * np.arange(-half, half + 1)
    xi = np.stack(np.meshgrid(*[axis] * r, indexing="ij"), axis=-1).reshape(-1, r)
    xi = xi[np.sum(xi**2, axis=1) <= _RADIUS**2]
    return xi, (spacing / math.sqrt(2 * math.pi)) ** r * np.exp(-np.sum(xi**2, axis=1) / 2)


def _quasi_random(r):
    points = qmc.Sobol(r, seed=0).random_base2(_LOG2_POINTS)
    return ndtri(points), np.full(len(points), 1 / len(points))


def _training_outputs(z, V, basis, k):
    """Return the proximal points x (n, K - 1) of outputs z, where x = z + V f(x)."""
    found = _proximal_points(np.ascontiguousarray(z), np.linalg.inv(V), np.ascontiguousarray(basis), k)
    if np.isnan(found).any():
        raise NotConverged("a proximal point of the softmax does not converge: raise ridges")
    return found


@njit(cache=True)
def _proximal_points(z, precision, basis, k):
    """Minimise the convex cross-entropy + (x - z) precision (x - z) / 2 at each node, by Newton's method with
    backtracking.
    """
    n, r = z.shape
    K = basis.shape[1]
    found = np.empty((n, r))
    p, gradient, H, step, tried = np.empty(K), np.empty(r), np.empty((r, r)), np.empty(r), np.empty(r)
    for node in range(n):
        x = z[node].copy() if node == 0 else z[node] + found[node - 1] - z[node - 1]
        value = _objective(x, z[node], precision, basis, k, p)
        for _ in range(200):
            others = 0.0  # 1 - p_k, without cancellation
            for a in range(K):
                others += p[a] if a != k else 0.0
            for i in range(r):
                gradient[i] = -basis[i, k] * others
                for j in range(r):
                    gradient[i] += precision[i, j] * (x[j] - z[node, j])
                    H[i, j] = precision[i, j]
                for a in range(K):
                    gradient[i] += basis[i, a] * p[a] if a != k else 0.0
            mean = basis @ p
            for i in range(r):
                for j in range(r):
                    for a in range(K):
                        H[i, j] += basis[i, a] * p[a] * basis[j, a]
                    H[i, j] -= mean[i] * mean[j]
            _solve(H, gradient, step)
            largest, size, slope = 0.0, 1.0, 0.0
            for i in range(r):
                largest = max(largest, abs(step[i]))
                slope += step[i] * gradient[i]
            if largest <= 1e-13 * (1 + np.max(np.abs(x))):
                break
            for _ in range(60):
                for i in range(r):
                    tried[i] = x[i] - size * step[i]
                new = _objective(tried, z[node], precision, basis, k, p)
                if new <= value - 1e-4 * size * slope or largest * size <= 1e-9:
                    break
                size /= 2
            _copy(tried, x)
            value = new
        else:
            x[:] = np.nan
        _copy(x, found[node])
    return found


@njit(cache=True)
def _copy(source, target):
    """Copy a vector; numba takes two seconds to compile the check of shapes in target[:] = source."""
    for i in range(len(source)):
        target[i] = source[i]


@njit(cache=True)
def _objective(x, z, precision, basis, k, p):
    """Return the objective at x; p becomes the softmax."""
    r, K = basis.shape
    top = -np.inf
    for a in range(K):
        p[a] = 0.0
        for i in range(r):
            p[a] += basis[i, a] * x[i]
        top = max(top, p[a])
    shifted, others = p[k] - top, 0.0
    for a in range(K):
        p[a] = math.exp(p[a] - top)
        others += p[a] if a != k else 0.0
    value = math.log1p(others) if shifted == 0 else math.log(p[k] + others) - shifted  # precise if the value is small
    for a in range(K):
        p[a] /= p[k] + others if a != k else 1.0
    p[k] /= p[k] + others
    for i in range(r):
        for j in range(r):
            value += (x[i] - z[i]) * precision[i, j] * (x[j] - z[j]) / 2
    return value


@njit(cache=True)
def _solve(H, gradient, step):
    """Solve H step = gradient by elimination, for a positive definite H, which is overwritten."""
    r = len(gradient)
    _copy(gradient, step)
    for i in range(r):
        for j in range(i + 1, r):
            factor = H[j, i] / H[i, i]
            for a in range(i, r):
                H[j, a] -= factor * H[i, a]
            step[j] -= factor * step[i]
    for i in range(r - 1, -1, -1):
        for a in range(i + 1, r):
            step[i] -= H[i, a] * step[a]
        step[i] /= H[i, i]
