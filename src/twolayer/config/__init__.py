"""The parameters of every task, as frozen dataclasses that say what is allowed."""

from twolayer.config.generated_images import ClassStatistics, ConditionalGan, ImageAxes, ImageSweep
from twolayer.config.generators import RandomConvolutions, RandomFlow, SignGenerator
from twolayer.config.mixtures import (
    FeatureCloud,
    FixedPointSweep,
    Geometry,
    ImageMixture,
    IsotropicClusters,
    LearningCurve,
    MixtureFeatureCovariates,
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
from twolayer.config.replica import (
    ConvexLearning,
    ConvexProblem,
    GaussianCovariates,
    RandomFeatureCovariates,
    Replica,
)
from twolayer.config.teacher_student import GeneratorSGD, InputMoments, TeacherCurve, TeacherLearning
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
    "ConvexLearning",
    "ConvexProblem",
    "FeatureCloud",
    "FeatureDensity",
    "FixedPointSweep",
    "FrozenFeatures",
    "GaussianCovariates",
    "GeneratorSGD",
    "Geometry",
    "ImageAxes",
    "ImageMixture",
    "ImageSweep",
    "ImageTraining",
    "InputMoments",
    "IsotropicClusters",
    "LearningCurve",
    "MeanFieldFlow",
    "MixtureFeatureCovariates",
    "MixtureSample",
    "OneStepSweep",
    "OnlineSGD",
    "OrderParameterChain",
    "PlaneDensity",
    "RandomConvolutions",
    "RandomFeatureCovariates",
    "RandomFeatures",
    "RandomFlow",
    "RandomMixture",
    "ReadoutTraining",
    "Replica",
    "SignGenerator",
    "SpikedData",
    "TeacherCurve",
    "TeacherDistribution",
    "TeacherLearning",
    "TorusDescent",
    "TorusTeacher",
    "TrainedError",
    "UltrafastDiffusion",
    "parse",
    "to_json",
]
