"""Every task: its name, its parameters, the results it needs, and the function that does it.

A function is named, not imported, so that the workflow can read this table in no time.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from twolayer import config


@dataclass(frozen=True)
class Task:
    """One kind of job.

    Attributes:
        config: dataclass of its parameters.
        module: its module in `twolayer.experiments`, whose function `run(config, **inputs)` returns a Dataset.
        inputs: names of the results it needs.
        images: splits that it reads of an image set, from a folder, its input `images`.
        resumes: whether it goes on where it was interrupted, from its input `checkpoint`.
    """

    config: type
    module: str
    inputs: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    resumes: bool = False

    @property
    def function(self) -> Callable:
        """The function that does the task."""
        return importlib.import_module(self.module).run


TASKS = {
    "circle_descent": Task(config.CircleDescent, "twolayer.experiments.circle_descent", inputs=("diffusion", "flow")),
    "class_statistics": Task(config.ClassStatistics, "twolayer.experiments.class_statistics", inputs=("generator",)),
    "conditional_gan": Task(
        config.ConditionalGan, "twolayer.experiments.conditional_gan", images=("train",), resumes=True
    ),
    "convex_learning": Task(config.ConvexLearning, "twolayer.experiments.convex_learning", inputs=("covariates",)),
    "convolutional_generator": Task(config.RandomConvolutions, "twolayer.experiments.convolutional_generator"),
    "dense_flow": Task(config.RandomFlow, "twolayer.experiments.dense_flow"),
    "feature_cloud": Task(config.FeatureCloud, "twolayer.experiments.feature_cloud"),
    "feature_density": Task(config.FeatureDensity, "twolayer.experiments.feature_density", inputs=("descent", "flow")),
    "fixed_point": Task(config.FixedPointSweep, "twolayer.experiments.fixed_point"),
    "frozen_features": Task(config.FrozenFeatures, "twolayer.experiments.frozen_features"),
    "gaussian_covariates": Task(config.GaussianCovariates, "twolayer.experiments.gaussian_covariates"),
    "gaussian_equivalence": Task(config.GaussianEquivalence, "twolayer.experiments.gaussian_equivalence"),
    "generated_feature_covariates": Task(
        config.GeneratedFeatureCovariates, "twolayer.experiments.generated_feature_covariates", inputs=("generator",)
    ),
    "generator_sgd": Task(config.GeneratorSGD, "twolayer.experiments.generator_sgd", inputs=("generator", "moments")),
    "image_feature_covariates": Task(
        config.ImageFeatureCovariates, "twolayer.experiments.image_feature_covariates", images=("train",)
    ),
    "image_mixture": Task(config.ImageMixture, "twolayer.experiments.image_mixture", images=("train",)),
    "image_sweep": Task(config.ImageSweep, "twolayer.experiments.image_sweep", inputs=("generator", "statistics")),
    "image_training": Task(
        config.ImageTraining, "twolayer.experiments.image_training", images=("train", "test"), resumes=True
    ),
    "input_moments": Task(config.InputMoments, "twolayer.experiments.input_moments", inputs=("generator",)),
    "isotropic_mixture": Task(config.IsotropicClusters, "twolayer.experiments.isotropic_mixture"),
    "learning_curve": Task(config.LearningCurve, "twolayer.experiments.learning_curve", inputs=("mixture",)),
    "mean_field_flow": Task(config.MeanFieldFlow, "twolayer.experiments.mean_field_flow"),
    "mixture_feature_covariates": Task(
        config.MixtureFeatureCovariates, "twolayer.experiments.mixture_feature_covariates"
    ),
    "mixture_sample": Task(config.MixtureSample, "twolayer.experiments.mixture_sample"),
    "one_step_sweep": Task(config.OneStepSweep, "twolayer.experiments.one_step_sweep"),
    "online_sgd": Task(config.OnlineSGD, "twolayer.experiments.online_sgd", inputs=("mixture",)),
    "order_parameter_chain": Task(
        config.OrderParameterChain, "twolayer.experiments.order_parameter_chain", inputs=("mixture",)
    ),
    "plane_density": Task(config.PlaneDensity, "twolayer.experiments.plane_density", inputs=("descent",)),
    "random_feature_covariates": Task(config.RandomFeatureCovariates, "twolayer.experiments.random_feature_covariates"),
    "random_features": Task(config.RandomFeatures, "twolayer.experiments.random_features"),
    "random_mixture": Task(config.RandomMixture, "twolayer.experiments.random_mixture"),
    "readout_training": Task(config.ReadoutTraining, "twolayer.experiments.readout_training"),
    "replica": Task(config.Replica, "twolayer.experiments.replica", inputs=("covariates",)),
    "sign_generator": Task(config.SignGenerator, "twolayer.experiments.sign_generator"),
    "teacher_curve": Task(config.TeacherCurve, "twolayer.experiments.teacher_curve", inputs=("moments",)),
    "teacher_distribution": Task(config.TeacherDistribution, "twolayer.experiments.teacher_distribution"),
    "torus_descent": Task(config.TorusDescent, "twolayer.experiments.torus_descent", resumes=True),
    "torus_teacher": Task(config.TorusTeacher, "twolayer.experiments.torus_teacher"),
    "trained_error": Task(config.TrainedError, "twolayer.experiments.trained_error"),
    "trained_flow": Task(config.TrainedFlow, "twolayer.experiments.trained_flow", images=("train",), resumes=True),
    "trained_generator": Task(
        config.TrainedGenerator, "twolayer.experiments.trained_generator", images=("train",), resumes=True
    ),
    "ultrafast_diffusion": Task(config.UltrafastDiffusion, "twolayer.experiments.ultrafast_diffusion"),
}
