"""Arguments of all public functions, drawn by hypothesis: ordinary ones, extremes, and combinations that do not fit.

Sizes are small, so that a call takes milliseconds. The first of the choices is the ordinary one: hypothesis reduces
an example that fails to as few unusual choices as possible.
"""

import dataclasses
import functools
import re
import warnings
from pathlib import Path
from typing import Annotated, Literal, Union, get_args, get_origin

import numpy as np
import torch

import twolayer as tl
from twolayer.experiments import TASKS
from twolayer.io import made_by
from twolayer.library.describe import signature
from twolayer.model.networks.activation_parameter import ActivationLike
from twolayer.model.teachers.label_parameter import TeacherFunction
from twolayer.parameters import MAY_BE_EMPTY, Bounds, hints_of

IMAGES = Path(__file__).parents[1] / "workflow" / "resources"

FLOATS = [0.5, 1.0, 2.0, 0.1, 10.0, 0.0, -0.7, 1e-3, 1e-6, 1e-9, 1e-12, 1e3, 1e5, 1e8, 1e-30, 1e30]
COUNTS = [2, 1, 3, 5, 8, 20, 0]
ACTIVATIONS = [
    "erf", "relu", "tanh", "linear", "sign", "sigmoid", "gelu", "he3", np.sin, np.exp, np.abs, lambda x: 0 * x,
    lambda x: np.sin(20 * x), lambda x: np.where(x > 1, 1.0, 0.0), np.square,
]  # fmt: skip

# Numbers whose size sets the cost of a call, or the time in which a solution may become stiff.
SIZES = {
    "log2_nodes": [6, 7, 8, 4],
    "drift_log2_nodes": [6, 4],
    "log2_samples": [8, 6, 12],
    "first_time": [0.05],
    "last_time": [1.0, 3.0, 0.2],
    "measurements": [3, 1, 2, 8],
    "sizes": [[4, 8], [3, 5, 9], [5]],
    "dimension of a student": [20, 20, 20, 20, 20, None, 5, 1],
    "input_dimension": [20, 20, 20, 5, 2, 1],
    "gamma": [1.0, 1.0, 1.0, 100.0, 0.0, 1e8],
    "ranks": [[1, 1], [2, 1]],
    "ratios": [[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]],
    "alignments": [[0.0], [0.5], [1.0]],
    "classes": [[0, 1], [5, 9], [3, 3]],
    "iterations": [5, 12, 30, 1],
    "iterations of a result": [[0], [0, 5], [3]],
    "samples": [30, 200, 5, 2],
    "test_samples": [50, 200, 2],
    "simulated_samples": [50, 200, 2],
    "batch_size": [8, 2],
    "epochs": [1],
    "images": [200, 20, 2],
    "doublings": [1, 2],
    "size": [8],
    "every": [5, 1, 100],
    "cells": [64, 200, 4, 3],
    "quantiles": [32, 100, 1],
    "harmonics": [8, 16, 2, 3],
    "points": [30, 100, 1],
    "simulated_dimension": [20, 200, 3],
    "simulated_relaxations": [0.1, 1.0],
    "learning_rate": [0.3, 0.01, 1.0, 3.0, 1e-6],
    "simulated_sigma": [None],
    "device": ["cpu"],
    "hidden": [8],
    "channels": [4],
    "blocks": [1],
    "couplings": [1, 2],
    "step": [0.1, 0.01, 1.0, 1e3],
    "seed": [0, 1, 12345],
    "verified": [2, 3, 1],
    "width": [1, 2, 4],
    "module": [None, "math:sin", "nothing"],
    "file": [None, "nothing.csv", "."],
    "weights of a file": [None, "nothing.npz"],
    "snapshots": [[0], [0, 5]],
}


@dataclasses.dataclass
class Drawn:
    """Draws of one example.

    Attributes:
        choose: picks one of a list.
    """

    choose: object

    def rare(self, ordinary, unusual):
        """One of the unusual values, one time in eight."""
        return self.choose(unusual) if self.choose(range(8)) == 7 else self.choose(ordinary)

    def value(self, hint, name, task=""):
        """A value for a field of that type and name."""
        origin, parts = get_origin(hint), get_args(hint)
        if name in SIZES:
            chosen, element = self.choose(SIZES[name]), _element(hint)
            if chosen is None or isinstance(chosen, (list, tuple)) or element is None:
                return chosen
            return self.choose([[chosen], SIZES[name][:2], SIZES[name][:3], [chosen, chosen]])
        if hint is ActivationLike:
            return self.rare(ACTIVATIONS[:3], ACTIVATIONS)
        if hint is TeacherFunction:
            return self.rare(["relu", "tanh", "hermite2"], [*ACTIVATIONS, lambda t: t[..., 0] * t[..., -1]])
        if origin is Annotated and parts[1] == MAY_BE_EMPTY:
            return self.rare([self.value(parts[0], name)], [[]])
        if origin is Annotated:
            return self.number(parts[0], parts[1])
        if origin in (Union, type(int | None)):
            return self.rare([None], [None]) if self.choose([True, False]) else self.value(parts[0], name)
        if origin is Literal:
            return self.choose(parts)
        if origin is tuple:
            return self.listed(parts[0], name)
        if dataclasses.is_dataclass(hint):
            return self.instance(hint, task)
        if hint is bool:
            return self.choose([False, True])
        return self.number(hint, Bounds()) if hint in (int, float) else self.choose(["x", "means"])

    def listed(self, part, name):
        return [self.value(part, name) for _ in range(self.choose([1, 2, 3, 4]))]

    def number(self, kind, bounds):
        """A number in its range, and now and then one that is not."""
        values = COUNTS if kind is int else FLOATS
        inside = [value for value in values if bounds.hold(value)] or [bounds.at_least or 1]
        ordinary = [value for value in inside if 0.05 <= abs(value) <= 20 or value == 0][:6] or inside
        return self.rare(ordinary, [*inside, *inside, *values[:3]])

    def instance(self, cls, task=""):
        """An object of a class, by its fields."""
        if cls.__name__ == "Geometry":
            return None
        fields = {
            field.name: self.value(hints_of(cls)[field.name], field.name)
            for field in dataclasses.fields(cls)
            if field.name != "geometry"
            and (field.default is dataclasses.MISSING or self.choose([False, False, True]) or field.name in SIZES)
        }
        if cls is tl.Student:
            fields["dimension"] = self.choose(SIZES["dimension of a student"])
        if cls is tl.ConvexProblem:
            fields |= self.labels_and_losses(task, fields)
        return cls(**{name: value for name, value in fields.items() if value is not None or name in ("module",)})

    def labels_and_losses(self, task, fields):
        """Labels of a convex problem, and losses that most of the time fit to them."""
        kinds = ["sign", "linear", "classes", "probit", "logit"]
        labels = self.choose(["classes"] if task == "data_learning" else kinds)
        losses = ["square"] if labels == "linear" else fields.get("losses", ["square", "hinge"])
        found = {}
        if task.startswith(("class_", "mixture_")):
            labels, losses = "sign", ["square", "softmax" if task.startswith("class_") else "hinge"]
            found = {"sample_ratios": [self.choose([2.0, 0.5, 10.0, 1e-3])]}  # more samples take minutes
        return found | {"labels": labels, "losses": losses, "noise": 0.0 if labels in ("sign", "classes") else 0.3}

    def mixture(self, isotropic):
        """A mixture of few clusters, of any covariance unless it must be isotropic."""
        noise = self.rare([0.5, 1.0], [0.05, 1e-3, 10.0, 1e-8, 1e6])
        dimension = self.rare([20, None], [5, 2])
        if self.choose([False, True]):
            shape = {"clusters_per_class": self.choose([2, 1, 3]), "regime": self.choose(["low", "high", "mixed"])}
            named = {"shape": "three_clusters"} if self.choose([False, True]) else shape
            return tl.Mixture(**named, positive_fraction=self.choose([0.5, 0.2]), sigma=noise, dimension=dimension)
        count, axes = self.choose([2, 3, 1, 5]), self.choose([2, 1, 5])
        means = [[self.rare([1.0, -1.0, 0.0, 0.3], [1e-9, 1e5, 100.0]) for _ in range(axes)] for _ in range(count)]
        labels = [self.choose([1, -1]) for _ in range(count)]
        weights = self.rare([np.full(count, 1 / count)], [np.eye(count)[0]])
        own = {"means": means, "labels": labels, "weights": weights}
        kind = self.choose(["sigma", "spreads", "covariance", "singular", "covariances"])
        if kind == "sigma" or (isotropic and kind != "spreads"):
            return tl.Mixture(**own, sigma=noise, dimension=dimension)
        if kind == "spreads":
            spreads = [self.choose([1.0, 2.0, 1e-3]) for _ in range(count)]
            return tl.Mixture(**own, sigma=noise, spreads=spreads, dimension=dimension)
        rng = np.random.default_rng(self.choose([0, 1, 2]))
        rank = axes - 1 if kind == "singular" else axes
        factors = (
            rng.standard_normal((count, axes, rank)) if kind == "covariances" else rng.standard_normal((axes, rank))
        )
        return tl.Mixture(**own, covariance=noise**2 * factors @ np.swapaxes(factors, -1, -2))

    def array(self, name):
        """Numbers of few samples, sometimes degenerate."""
        rows, columns = self.rare([20, 6], [1, 2, 3, 60]), self.choose([3, 1, 2, 8])
        rng = np.random.default_rng(self.choose([0, 1, 2]))
        matrix = rng.standard_normal((rows, columns)) * self.rare([1.0], [1e-9, 1e6, 0.0, 1e25])
        if name in ("labels", "targets", "test_targets"):
            matrix = self.rare([np.sign(matrix[:, 0]), matrix[:, 0], matrix], [np.ones(rows), np.array(3.0)])
        matrix = np.asarray(matrix)
        masked = np.ma.masked_less(matrix, 0)
        odd = [matrix + 0j, np.nan * matrix, matrix[..., None], [[]], "x", masked, matrix.tolist()]
        return self.rare([matrix], odd)

    def result(self, role, makers):
        """A result for an input of that role."""
        return self.rare(results(makers), [None, 3, *results(("teacher_distribution",))])

    def samples(self, task):
        """Arrays that go together, most of the time."""
        seed = self.choose([0, 1, 2])
        rng = np.random.default_rng(seed)
        given = {name.rstrip("?"): rng.standard_normal((20, 3)) for name in task.arrays}
        for name in {"labels", "targets", "test_targets"} & given.keys():
            given[name] = np.sign(given[name][:, 0])
        if self.choose([False, True]):
            chosen = self.choose(sorted(given))
            given[chosen] = self.array(chosen)
        if "test_inputs" in given and self.choose([False, True]):
            del given["test_inputs"], given["test_targets"]
        return given

    def arguments(self, name):
        """Arguments of the function of that name."""
        task, hints = TASKS[name], hints_of(TASKS[name].parameters)
        given = self.samples(task) if task.arrays else {}
        for argument in signature(task).parameters.values():
            if argument.default is not argument.empty and not self.choose([False, True]) and argument.name not in SIZES:
                continue
            key = argument.name
            if key in given or f"{key}?" in task.arrays:
                continue
            if key == "mixture" and (key in task.inputs or "geometry" in hints):
                made = task.inputs.get(key, ())
                if "isotropic_mixture" in made or not made:
                    given[key] = self.mixture(made in ((), ("isotropic_mixture",)))
                else:
                    given[key] = self.result(key, made)
            elif key in task.possible_inputs:
                given[key] = self.result(key, task.makers(key))
            elif key in hints:
                given[key] = self.value(hints[key], _kind(name, key), name)
            elif key == "images":
                given[key] = self.rare([IMAGES], [Path("nowhere"), 3])
            elif key == "largest_gb":
                given[key] = self.rare([None, 1.0], [1e-6, 0.0])
            elif key != "checkpoint":
                given[key] = self.array(key)
        return given | (FITTING[name]() if name in FITTING and self.choose([True, True, False]) else {})


def _element(hint):
    """The type of the elements of a list, which may be one of several types; None for other types."""
    if get_origin(hint) is tuple:
        return get_args(hint)[0]
    return next(filter(None, map(_element, get_args(hint))), None)


def _kind(task, name):
    """The name of a parameter, where what it means depends on the task."""
    if name == "iterations" and task in ("feature_density", "plane_density"):
        return "iterations of a result"
    return "weights of a file" if name == "weights" and task == "named_generator" else name


@functools.cache
def results(makers):
    """Small results of these tasks."""
    made = [_MADE[name]() for name in makers if name in _MADE]
    return made


def _samples():
    rng = np.random.default_rng(0)
    features = rng.standard_normal((300, 5))
    return features, np.sign(features[:, 0] + 0.3 * rng.standard_normal(300))


def _quiet(function):
    @functools.cache
    def made():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function()

    return made


_MIXTURE = {"means": [[1.0, 0.0], [-1.0, 0.5]], "labels": [1, -1], "weights": [0.5, 0.5], "sigma": 0.7, "dimension": 20}
_STUDENT, _SCHEDULE = tl.Student("erf", 2), tl.Schedule(learning_rate=0.3, last_time=1.0, measurements=3)
_DESCENT = tl.Descent(iterations=5, step=1e-3, every=5)
_CIRCLE = {"gamma": 1.0, "descent": _DESCENT}


def _conditional_gan():
    from twolayer.experiments.generated_images.conditional_gan import image_moments
    from twolayer.model.generators.conditional_generator import ConditionalGenerator
    from twolayer.results.conditional_generator import generator_to_dataset

    torch.manual_seed(0)
    dataset = generator_to_dataset(ConditionalGenerator(8, 4, 0.1).eval(), 8, 4)
    pixels, classes = np.random.default_rng(0).random((50, 28, 28)).astype(np.float32), np.arange(50) % 10
    losses = {name: ("epoch", [1.0]) for name in ("discriminator_loss", "generator_loss")}
    dataset = dataset.merge(image_moments(pixels, classes)).assign(losses | {"parameters": 1})
    return made_by(dataset, "conditional_gan", "{}", 0.0)


_MADE = {
    name: _quiet(function)
    for name, function in {
        "isotropic_mixture": lambda: tl.isotropic_mixture(tl.Mixture(**_MIXTURE)),
        "isotropic_inputs": lambda: tl.isotropic_inputs(dimension=20),
        "class_mixture": lambda: tl.class_mixture(means=np.eye(3), labels=[0, 1, 2], sigma=0.7, input_dimension=20),
        "random_mixture": lambda: tl.random_mixture(input_dimension=20, clusters_per_class=1),
        "data_mixture": lambda: tl.data_mixture(results(("feature_covariances",))[0]),
        "random_covariances": lambda: tl.random_covariances(input_dimension=20, clusters_per_class=1),
        "feature_covariances": lambda: tl.feature_covariances(*_samples()),
        "gaussian_feature_covariances": lambda: tl.gaussian_feature_covariances(dimension=6),
        "random_feature_covariances": lambda: tl.random_feature_covariances(latent_dimension=5, features=8),
        "sign_generator": lambda: tl.sign_generator(widths=[5, 8]),
        "dense_generator": lambda: tl.dense_generator(widths=[5, 8], activation="tanh"),
        "convolutional_generator": lambda: tl.convolutional_generator(latent_size=3, width=2, doublings=1, colours=1),
        "dense_flow": lambda: tl.dense_flow(dimension=6, couplings=2),
        "moments": lambda: tl.moments(results(("sign_generator",))[0], samples=500),
        "ultrafast_diffusion": lambda: tl.ultrafast_diffusion(**_CIRCLE, cells=64),
        "mean_field_flow": lambda: tl.mean_field_flow(**_CIRCLE, ridge=[0.1], harmonics=8, quantiles=32),
        "circle_descent": lambda: tl.circle_descent(
            *results(("ultrafast_diffusion", "mean_field_flow")), **_CIRCLE, ridge=0.1, widths=[8], seeds=1, samples=30,
            teacher_width=6, snapshots=[0],
        ),
        "torus_descent": lambda: tl.torus_descent(
            gamma=1.0, ridge=0.1, width=8, descent=_DESCENT, samples=30, teacher_width=6, snapshots=[0], device="cpu",
        ),
        "conditional_gan": _conditional_gan,
        "class_statistics": lambda: tl.class_statistics(_conditional_gan(), classes=[0, 1], samples=300, device="cpu"),
        "learning_curve": lambda: tl.learning_curve(tl.Mixture(**_MIXTURE), _STUDENT, _SCHEDULE, log2_nodes=6),
        "online_sgd": lambda: tl.online_sgd(tl.Mixture(**_MIXTURE), _STUDENT, _SCHEDULE, log2_nodes=6, seeds=2),
        "order_parameter_sgd": lambda: tl.order_parameter_sgd(
            tl.Mixture(**_MIXTURE), _STUDENT, _SCHEDULE, log2_nodes=6, seeds=2
        ),
        "teacher_distribution": lambda: tl.teacher_distribution(gamma=[1.0], samples=100, cells=64),
    }.items()
}  # fmt: skip


# Arguments that must fit together, and that separate draws nearly never do. They are made when they are drawn, because
# `first_calls.py` imports this module before it measures.
FITTING = {
    "circle_descent": lambda: {
        **_CIRCLE, "diffusion": _MADE["ultrafast_diffusion"](), "flow": _MADE["mean_field_flow"](), "power": 2.0,
        "ridge": 0.1, "widths": [8], "snapshots": [0], "regularization": "unbiased", "algorithm": "varpro",
    },
    "class_mixture": lambda: {
        "means": np.eye(3), "labels": [0, 1, 2], "weights": None, "spreads": None, "input_dimension": 20,
    },
    "conditional_outputs": lambda: {"sizes": [20, 30], "structures": 2, "samples": 100},
    "data_samples": lambda: {
        "images": IMAGES, "dataset": "digits", "file": None, "features": None, "labels": None, "leave_out": None,
        "positive": None, "threshold": None, "size": None, "drop_constant": True, "largest_gb": None,
    },
    "convex_learning": lambda: {
        "feature_covariances": _MADE["gaussian_feature_covariances"](), "generator": None,
        "problem": tl.ConvexProblem(losses=["square", "hinge"], ridges=[0.1], sample_ratios=[1.0, 10.0]),
    },
    "data_sgd": lambda: {"student": tl.Student("erf", 2), "schedule": _SCHEDULE},
    "frozen_features": lambda: {"data": tl.SpikedData(input_dimension=20, samples=40), "width": 1.0},
    "giant_step_limit": lambda: {
        "data": tl.SpikedData(input_dimension=20, samples=40, ranks=[0], ratios=[1.0]), "width": 1.0,
    },
    "image_theory": lambda: {"samples": 20, "images": 200, "width": 1.0},
    "mixture_learning": lambda: {"dimension": 20},
    "sliced_maximum": lambda: {"sizes": [20], "samples": 100, "hidden_units": 2},
}  # fmt: skip


def names_of(name):
    """All names that an error of a function may use: arguments, fields of its classes, and inputs."""
    found = set(signature(TASKS[name]).parameters) | {field.name for field in dataclasses.fields(tl.Mixture)}
    queue = list(hints_of(TASKS[name].parameters).items())
    while queue:
        key, hint = queue.pop()
        found.add(key)
        queue += [(key, part) for part in get_args(hint) if not isinstance(part, (str, Bounds))]
        if dataclasses.is_dataclass(hint):
            queue += hints_of(hint).items()
    return found


def names_an_argument(name, text):
    """Whether an error uses the name of an argument, as a word; one of several words may be written with spaces."""
    words = re.sub(r"[^\w]+", " ", text.lower()).split()
    spoken = f" {' '.join(words)} "
    names = {one.replace("_", " ") for one in names_of(name)} | names_of(name)
    return any(f" {form} " in spoken for one in names for form in (one, one + "s", one.rstrip("s")))
