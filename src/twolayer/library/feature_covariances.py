"""Covariances of a teacher's and a student's features, as a class of the library."""

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from twolayer.errors import ConfigError
from twolayer.experiments.feature_covariances.feature_covariances import run as measure
from twolayer.experiments.feature_covariances.parameters import CustomFeatureCovariances
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.parameters import Array, Count, Positive, checked, parse
from twolayer.results.feature_covariances import gaussian_to_dataset, spectrum_to_dataset
from twolayer.theory.replica.replica_equations import Spectrum, covariate_spectrum, explained_power

_ROUNDING = 1e-9  # rounding error relative to the variance of the teacher's field


@checked
class FeatureCovariances:
    """Covariances of Gaussian features u of a teacher and v of a student that learns labels of theta . u.

    The teacher's field is nu = theta . u / sqrt p, the student's output is w . v / sqrt d. Give all four matrices, or
    use `from_spectrum`, `from_exponents` or `from_samples`. Functions take the object as `feature_covariances`, and
    also results of `gaussian_feature_covariances` and of similar tasks.

    Args:
        Psi: (p, p) covariance of u.
        Phi: (p, d) covariance of u and v.
        Omega: (d, d) covariance of v.
        teacher: (p,) theta.
        eigenvalues: (d,) variances of independent features v, which replace the matrices.
        alignments: (d,) d (E nu v_j)^2 of these features.
        power: E nu^2, variance of the teacher's field.
        features: (n, d) samples whose moments replace the matrices.
        labels: (n,) labels of these samples.

    Raises:
        ConfigError: the arguments do not fit together, or no Gaussian features have these covariances.

    Example:
        >>> import numpy as np
        >>> import twolayer as tl
        >>> one = np.eye(20)
        >>> data = tl.FeatureCovariances(Psi=one, Phi=one, Omega=one, teacher=np.ones(20))
        >>> problem = tl.ConvexProblem(losses=["square"], labels="linear", noise=0.1, ridges=[0], sample_ratios=[5])
        >>> tl.replica(data, problem).excess.round(6).item()  # noise^2 / (sample_ratio - 1)
        0.0025
    """

    Psi: Array | None = None
    Phi: Array | None = None
    Omega: Array | None = None
    teacher: Array | None = None
    eigenvalues: Array | None = None
    alignments: Array | None = None
    power: Positive | None = None
    features: Array | None = None
    labels: Array | None = None

    @classmethod
    def from_spectrum(cls, eigenvalues: ArrayLike, alignments: ArrayLike, power: float) -> "FeatureCovariances":
        """Return independent features.

        Args:
            eigenvalues: (d,) variances of the features.
            alignments: (d,) d (E nu v_j)^2, for the teacher's field nu.
            power: E nu^2, at least the mean of alignments / eigenvalues, the part that the features explain.

        Raises:
            ConfigError: the numbers do not fit together.

        Example:
            >>> import twolayer as tl
            >>> tl.FeatureCovariances.from_spectrum([1.0, 0.5], [0.5, 0.1], power=1.0).dataset().power.item()
            1.0
        """
        return cls(eigenvalues=eigenvalues, alignments=alignments, power=power)

    @classmethod
    def from_exponents(cls, source: float, capacity: float, dimension: int) -> "FeatureCovariances":
        """Return independent features with power laws of variances and of the teacher's weights.

        The variances are i^-capacity, and the teacher is nu = sum theta_i v_i with
        theta_i^2 = i^-(1 + capacity (2 source - 1)).

        Args:
            source: r, the smoothness of the teacher. capacity: a, the decay of the variances.
            dimension: d.

        Raises:
            ConfigError: an argument is not positive.

        Example:
            >>> import twolayer as tl
            >>> tl.FeatureCovariances.from_exponents(source=0.5, capacity=2, dimension=100).eigenvalues[1].item()
            0.25

        References:
            Cui, Loureiro, Krzakala, Zdeborova, Generalization error rates in kernel regression, arXiv 2105.15004.
        """
        distributions = parse(
            _Exponents, {"source": source, "capacity": capacity, "dimension": dimension}, "from_exponents"
        )
        i = np.arange(1.0, distributions.dimension + 1)
        omega, squares = i**-distributions.capacity, i ** -(1 + distributions.capacity * (2 * distributions.source - 1))
        return cls(
            eigenvalues=omega, alignments=distributions.dimension * squares * omega**2, power=float(squares @ omega)
        )

    @classmethod
    def from_samples(cls, features: ArrayLike, labels: ArrayLike) -> "FeatureCovariances":
        """Return the moments of samples, as `feature_covariances` computes them; features and labels are centred.

        Args:
            features: (n, d), one sample in each row. labels: (n,).

        Raises:
            ConfigError: the arrays do not fit together.

        Example:
            >>> import numpy as np
            >>> import twolayer as tl
            >>> x = np.random.default_rng(0).standard_normal((2000, 5))
            >>> tl.FeatureCovariances.from_samples(x, np.sign(x[:, 0])).dataset().Omega.shape
            (5, 5)
        """
        return cls(features=features, labels=labels)

    def __post_init__(self):
        groups = [("Psi", "Phi", "Omega", "teacher"), ("eigenvalues", "alignments", "power"), ("features", "labels")]
        used = [names for names in groups if any(getattr(self, name) is not None for name in names)]
        if len(used) != 1:
            raise ConfigError(
                "give either Psi, Phi, Omega and teacher, or eigenvalues, alignments and power, or features and labels"
            )
        if missing := [name for name in used[0] if getattr(self, name) is None]:
            raise ConfigError(f"{missing[0]} is missing: give {', '.join(used[0])} together")
        if self.eigenvalues is not None:
            self._check_spectrum()
        elif self.Psi is not None:
            self._check_matrices()
        else:
            object.__setattr__(self, "_measured", measure(CustomFeatureCovariances(), self.features, self.labels))

    def _check_spectrum(self):
        shapes = self.eigenvalues.shape, self.alignments.shape
        if shapes[0] != shapes[1] or self.eigenvalues.ndim != 1 or not self.eigenvalues.size:
            raise ConfigError(f"eigenvalues and alignments have shapes {shapes[0]} and {shapes[1]}: both must be (d,)")
        for name in ("eigenvalues", "alignments"):
            if (least := getattr(self, name).min()) < 0:
                raise ConfigError(f"{name} has {least:.3g}: give numbers of at least 0")
        if not self.eigenvalues.any():
            raise ConfigError("eigenvalues are all 0: give features with a variance")
        if np.any(self.alignments[self.eigenvalues == 0]):
            raise ConfigError("alignments has a positive value where the eigenvalues are 0: set it to 0")
        r_squared = explained_power(self._spectrum)
        if r_squared > self.power * (1 + _ROUNDING):
            raise ConfigError(
                f"power is {self.power:.6g}, but the mean of alignments / eigenvalues is {r_squared:.6g}: it must not "
                "exceed power"
            )

    def _check_matrices(self):
        shapes = {name: getattr(self, name).shape for name in ("Psi", "Phi", "Omega", "teacher")}
        if {len(shapes[name]) for name in ("Psi", "Phi", "Omega")} != {2} or len(shapes["teacher"]) != 1:
            found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            raise ConfigError(f"found {found}: Psi must be (p, p), Phi (p, d), Omega (d, d) and teacher (p,)")
        covariate_spectrum(self._covariates)

    @property
    def _covariates(self):
        return CovariateModel(self.Psi, self.Phi, self.Omega, self.teacher)

    @property
    def _spectrum(self):
        d = len(self.eigenvalues)
        return Spectrum(self.power, self.eigenvalues, self.alignments, np.full(d, 1 / d))

    def dataset(self) -> xr.Dataset:
        """Return the covariances as the result of a task."""
        if self.eigenvalues is not None:
            return spectrum_to_dataset(self.power, self.eigenvalues, self.alignments)
        return self._measured if self.Psi is None else gaussian_to_dataset(self._covariates)


@checked
class _Exponents:
    """The exponents of `from_exponents`."""

    source: Positive
    capacity: Positive
    dimension: Count
