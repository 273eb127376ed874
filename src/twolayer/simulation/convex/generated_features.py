"""Samples of random features of generated inputs (torch)."""

import math

import numpy as np

from twolayer.model.generators.latent_generators import LatentGenerator, sampled_batches
from twolayer.model.networks.input_features import InputFeatures
from twolayer.simulation.convex.convex_learning import Source
from twolayer.simulation.teacher_student.winograd_convolution import fastest


def generated_feature_source(generator: LatentGenerator, features: InputFeatures, teacher: np.ndarray) -> Source:
    """Return a source of random features of generated inputs; the teacher (D,) has their latents as inputs."""
    generator = fastest(generator)

    def draw(rng, n):
        batches = ((c @ teacher, features(x)) for c, x in sampled_batches(generator, n, rng))
        field, values = (np.concatenate(part) for part in zip(*batches, strict=True))
        return field / math.sqrt(teacher.size), values

    return draw
