"""Compiled steps of online SGD of a student of a teacher."""

import numpy as np
from numba import njit

from twolayer.model.networks.activations import compiled_slope, compiled_value
from twolayer.simulation.mixtures.stepping import OUTPUT_LIMIT, decay_and_add, local_fields, output_error


@njit(cache=True)
def learn_from(x, label, W, v, fields, norms, activation, rates):
    """Follow the gradient of (label - output)^2 / 2 at an input x (N,), in place.

    The first layer W (K, N) learns at rate `learning_rate` / sqrt N, the second layer v (K,) at `second_layer_rate` /
    N. Both use the gradient at the weights before the step. `fields` is working space for the pre-activations (K,). On
    the sphere, the rows keep the `norms` (K,).

    Returns: whether the error was within its limit; if not, nothing is changed.

    Source: goldt2021, online SGD; saad1995; veiga2022 for the sphere.
    """
    N = x.size
    local_fields(W, x, fields)
    error = output_error(label, v, activation, fields)
    if not abs(error) < OUTPUT_LIMIT:
        return False
    decay = 1 - rates.learning_rate * rates.weight_decay / N
    for k in range(v.size):
        rate = rates.learning_rate / np.sqrt(N) * error * v[k] * compiled_slope(activation, fields[k])
        decay_and_add(W[k], decay, rate, x)
        if rates.sphere:
            factor = norms[k] / np.sqrt(np.sum(W[k] ** 2))
            for i in range(N):  # numba takes two seconds to compile the check of shapes in W[k] *= factor
                W[k, i] *= factor
        if rates.second_layer_rate > 0:
            gain = error * compiled_value(activation, fields[k]) - rates.second_layer_decay * v[k]
            v[k] += rates.second_layer_rate / N * gain
    return True


@njit(cache=True)
def learn_each(inputs, labels, mean, W, v, norms, activation, rates):
    """Apply `learn_from` to each of the inputs (n, N), centred at the mean (N,) in the precision of the mean.

    Returns: the number of steps, less than n if the output exceeds its limit.
    """
    x, fields = np.empty(W.shape[1], mean.dtype), np.empty(v.size)
    for step in range(len(inputs)):
        for i in range(x.size):
            x[i] = inputs[step, i] - mean[i]
        if not learn_from(x, labels[step], W, v, fields, norms, activation, rates):
            return step
    return len(inputs)


def learn_batches(batches, mean, W, v, norms, activation, rates):
    """Apply `learn_each` to batches of inputs (n, N) and labels (n,), until the output exceeds its limit.

    Returns: the number of steps.
    """
    taken = 0
    for inputs, labels in batches:
        taken += (now := learn_each(inputs, labels, mean, W, v, norms, activation, rates))
        if now < len(labels):
            break
    return taken
