"""The parameters of every task, as frozen dataclasses that say what is allowed."""

from twolayer.config.mixtures import (
    FixedPointSweep,
    Geometry,
    ImageMixture,
    IsotropicClusters,
    LearningCurve,
    MixtureSample,
    OnlineSGD,
    RandomFeatures,
    RandomMixture,
)
from twolayer.config.parsing import parse, to_json

__all__ = [
    "FixedPointSweep",
    "Geometry",
    "ImageMixture",
    "IsotropicClusters",
    "LearningCurve",
    "MixtureSample",
    "OnlineSGD",
    "RandomFeatures",
    "RandomMixture",
    "parse",
    "to_json",
]
