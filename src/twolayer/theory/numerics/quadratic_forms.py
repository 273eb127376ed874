"""Distribution of quadratic forms of normal numbers."""

import numpy as np

# logarithms of frequencies, in units of one over the standard deviation
_LOG_FREQUENCY = np.log(10) * np.linspace(-9, 6, 6001)
_FAR = 40  # mean in standard deviations, beyond which the other sign has a probability below 1e-12


def negative_probability(factors: np.ndarray, means: np.ndarray, variance: float, noise: float) -> float:
    """Return P(Q < 0) for Q = sum_i factors_i x_i^2 + sqrt(noise) z.

    The x_i are independent, normal, with these means and one variance; z is standard normal. The probability is an
    integral over the characteristic function of Q. Its absolute error is about 1e-12 for two or more factors.

    Args:
        factors, means: (m,). variance: variance of the x_i. noise: variance of the last term.

    References:
        Imhof 1961, Computing the distribution of quadratic forms in normal variables.
    """
    spread = np.sqrt(noise + np.sum(2 * (factors * variance) ** 2 + 4 * factors**2 * variance * means**2))
    mean = factors @ (means**2 + variance)
    if spread == 0:
        return 0.5
    if abs(mean) > _FAR * spread:
        return float(mean < 0)
    t = np.exp(_LOG_FREQUENCY)[:, None] / spread
    denominator = 1 - 2j * t * factors * variance
    exponent = np.sum(1j * t * factors * means**2 / denominator - 0.5 * np.log(denominator), axis=1)
    characteristic = np.exp(exponent - 0.5 * noise * t[:, 0] ** 2)
    below = mean * t[0, 0]  # part of the integral below the lowest frequency
    return float(0.5 - (np.trapezoid(characteristic.imag, _LOG_FREQUENCY) + below) / np.pi)
