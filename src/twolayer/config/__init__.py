"""The parameters of every task, as frozen dataclasses that say what is allowed."""

from twolayer.config.generated_images import ClassStatistics, ConditionalGan, ImageAxes, ImageSweep
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
from twolayer.config.one_step import Axes, FrozenFeatures, OneStepSweep, SpikedData
from twolayer.config.parsing import parse, to_json
from twolayer.config.training import ImageTraining
from twolayer.config.variable_projection import (
    CircleDescent,
    FeatureDensity,
    MeanFieldFlow,
    PlaneDensity,
    TeacherDistribution,
    TorusDescent,
    TorusTeacher,
    UltrafastDiffusion,
)

__all__ = [
    "Axes",
    "CircleDescent",
    "ClassStatistics",
    "ConditionalGan",
    "FeatureCloud",
    "FeatureDensity",
    "FixedPointSweep",
    "FrozenFeatures",
    "Geometry",
    "ImageAxes",
    "ImageMixture",
    "ImageSweep",
    "ImageTraining",
    "IsotropicClusters",
    "LearningCurve",
    "MeanFieldFlow",
    "MixtureSample",
    "OneStepSweep",
    "OnlineSGD",
    "OrderParameterChain",
    "PlaneDensity",
    "RandomFeatures",
    "RandomMixture",
    "ReadoutTraining",
    "SpikedData",
    "TeacherDistribution",
    "TorusDescent",
    "TorusTeacher",
    "TrainedError",
    "UltrafastDiffusion",
    "parse",
    "to_json",
]
