"""The parameters of every task, as frozen dataclasses that say what is allowed."""

from twolayer.config.mixtures import (
    FeatureCloud,
    FixedPointSweep,
    Geometry,
    ImageMixture,
    IsotropicClusters,
    LearningCurve,
    MixtureSample,
    OnlineSGD,
    OrderParameterChain,
    RandomFeatures,
    RandomMixture,
    ReadoutTraining,
    TrainedError,
)
from twolayer.config.parsing import parse, to_json

__all__ = [
    "FeatureCloud",
    "FixedPointSweep",
    "Geometry",
    "ImageMixture",
    "IsotropicClusters",
    "LearningCurve",
    "MixtureSample",
    "OnlineSGD",
    "OrderParameterChain",
    "RandomFeatures",
    "RandomMixture",
    "ReadoutTraining",
    "TrainedError",
    "parse",
    "to_json",
]
