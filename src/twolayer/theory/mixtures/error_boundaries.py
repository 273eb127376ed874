"""Probability of the errors along a line, between the boundaries of the labels; compiled.

Along a line, the logarithm of the ratio of two probabilities is linear or quadratic. A boundary is a root of the
difference of the largest logarithms of both labels.
"""

import math

import numpy as np
from numba import njit

from twolayer.theory.averages.gaussian_integrals import normal_cdf

_FAINT = -40.0  # logarithm of a probability ratio that changes no sum
_SHORTEST = 1e-2  # standard deviations: a shorter interval of errors may be missed
_RESOLUTION = 1e-11  # resolution of a boundary, in standard deviations


@njit(cache=True)
def masses_of_errors(offsets, slopes, bends, sides, reach):
    """Return the normal mass (n,) of each line where the group is the likeliest of its label and its label is the
    likelier.

    Args:
        offsets, slopes: (n, C). bends: (C,). The logarithms of the clusters' probabilities, relative to the cluster of
            the line, are offset + slope * t + bend * t^2.
        sides: (C,) 0 for clusters of the right label, 1 for the group, 2 for the others of its label.
    """
    (lines, count), masses = offsets.shape, np.zeros(len(offsets))
    offset, slope, bend, side = np.empty(count), np.empty(count), np.empty(count), np.empty(count, np.int64)
    for line in range(lines):
        size, least, met = 0, np.inf, False
        for j in range(count):
            if _highest(offsets[line, j], slopes[line, j], bends[j], reach) > _FAINT:
                offset[size], slope[size], bend[size], side[size] = (
                    offsets[line, j],
                    slopes[line, j],
                    bends[j],
                    sides[j],
                )
                least, met, size = min(least, bends[j]), met or sides[j] == 1, size + 1
        if met:
            masses[line] = _mass_of_errors((offset[:size], slope[:size], bend[:size], side[:size], least), reach)
    return masses


@njit(cache=True)
def _highest(offset, slope, bend, reach):
    """Return the largest value of a quadratic at t from -reach to reach."""
    highest = max(offset + (slope + bend * reach) * reach, offset + (bend * reach - slope) * reach)
    if bend < 0 and abs(slope) < -2 * bend * reach:
        highest = max(highest, offset - slope**2 / (4 * bend))
    return highest


@njit(cache=True)
def _fill_logarithms(clusters, t, found):
    """Fill (4, 2) with four functions of t and their slopes, each without the parabola of the least bend, which makes
    them convex.

    They are the logarithms of the probabilities of the wrong label, of the right label, of the likeliest cluster of the
    group, and of the likeliest other cluster of its label.
    """
    offset, slope, bend, sides, least = clusters
    highest = np.empty(3)
    highest[0] = highest[1] = highest[2] = -np.inf
    for row in range(2, 4):
        found[row, 0], found[row, 1] = -np.inf, 0.0
    for j in range(len(offset)):
        value = offset[j] + (slope[j] + (bend[j] - least) * t) * t
        if value > highest[sides[j]]:
            highest[sides[j]] = value
            if sides[j] > 0:
                found[1 + sides[j], 0], found[1 + sides[j], 1] = value, slope[j] + 2 * (bend[j] - least) * t
    wrong, right, wrong_slope, right_slope = 0.0, 0.0, 0.0, 0.0
    top = max(highest[1], highest[2])
    for j in range(len(offset)):
        value, rise = offset[j] + (slope[j] + (bend[j] - least) * t) * t, slope[j] + 2 * (bend[j] - least) * t
        if sides[j] == 0:
            share = math.exp(value - highest[0])
            right += share
            right_slope += share * rise
        else:
            share = math.exp(value - top)
            wrong += share
            wrong_slope += share * rise
    found[0, 0], found[0, 1] = top + math.log(wrong), wrong_slope / wrong
    found[1, 0], found[1, 1] = highest[0] + math.log(right), right_slope / right


@njit(cache=True)
def _lead(at):
    """Return the smaller of two margins: wrong label over right label, and group over the rest of its label."""
    return min(at[0, 0] - at[1, 0], at[2, 0] - at[3, 0])


@njit(cache=True)
def _most(upper_low, lower_low, upper_high, lower_high, width):
    """Return an upper bound of the difference of two of the functions, upper and lower, between two points, low and
    high, at which values and slopes (2,) of both are known.

    A convex function is below its chord and above its tangents.
    """
    if lower_low[0] == -np.inf:
        return np.inf
    first, last = upper_low[0] - lower_low[0], upper_high[0] - lower_high[0]
    bound, turn = max(first, last), lower_high[1] - lower_low[1]
    if turn > 0:  # the tangents meet in the interval
        part = (lower_low[0] - lower_high[0] + lower_high[1] * width) / turn
        if 0 < part < width:
            chord = upper_low[0] + (upper_high[0] - upper_low[0]) * part / width
            bound = max(bound, chord - lower_low[0] - lower_low[1] * part)
    return bound


@njit(cache=True)
def _certain(at_low, at_high, width):
    """Return whether the lead is negative, and whether it is positive, in the whole interval."""
    negative, positive = False, True
    for ours in range(0, 4, 2):
        low, other_low, high, other_high = at_low[ours], at_low[ours + 1], at_high[ours], at_high[ours + 1]
        negative = negative or _most(low, other_low, high, other_high, width) <= 0
        positive = positive and _most(other_low, low, other_high, high, width) <= 0
    return negative, positive


@njit(cache=True)
def _mass_of_errors(clusters, reach):
    """Return the normal mass where the lead is positive, from -reach to reach.

    Intervals are halved until the sign of the lead in them is certain, or until they have the smallest width.
    """
    mass, low, at_low = 0.0, -reach, np.empty((4, 2))
    ends, at_ends, waiting = np.empty(64), np.empty((64, 4, 2)), 1
    ends[0] = reach
    _fill_logarithms(clusters, low, at_low)
    _fill_logarithms(clusters, reach, at_ends[0])
    while waiting > 0:
        high, at_high = ends[waiting - 1], at_ends[waiting - 1]
        width = high - low
        never, always = _certain(at_low, at_high, width)
        if not (never or always) and width > _SHORTEST:
            ends[waiting] = 0.5 * (low + high)
            _fill_logarithms(clusters, ends[waiting], at_ends[waiting])
            waiting += 1
            continue
        first, last = _lead(at_low), _lead(at_high)
        if always or (not never and first > 0 and last > 0):
            mass += _between(low, high)
        elif not never and (first > 0 or last > 0):
            edge = _root(clusters, low, high, first, last)
            mass += _between(edge, high) if last > 0 else _between(low, edge)
        low, waiting = high, waiting - 1
        for row in range(4):  # instead of the rows at once, because numba takes two seconds to compile the check
            at_low[row, 0], at_low[row, 1] = at_high[row, 0], at_high[row, 1]
    return mass


@njit(cache=True)
def _root(clusters, low, high, at_low, at_high):
    """Return the zero of the lead between two ends with different signs, by the Illinois form of false position."""
    middle, found = low, np.empty((4, 2))
    while high - low > _RESOLUTION:
        last, middle = middle, (low * at_high - high * at_low) / (at_high - at_low)
        _fill_logarithms(clusters, middle, found)
        here = _lead(found)
        if abs(middle - last) < _RESOLUTION or here == 0:
            break
        if (here > 0) == (at_high > 0):
            high, at_high, at_low = middle, here, 0.5 * at_low
        else:
            low, at_low, at_high = middle, here, 0.5 * at_high
    return middle


@njit(cache=True)
def _between(low, high):
    """Return the normal probability of an interval, accurate in either tail."""
    if low > 0:
        return normal_cdf(-low) - normal_cdf(-high)
    return normal_cdf(high) - normal_cdf(low)
