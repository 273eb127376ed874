"""All computations, in one folder for each topic. `parameters.py` declares the tasks, and one module runs each task."""

import importlib

from twolayer.experiments.tasks import Task

TOPICS = (
    "mixture_inputs",
    "mixtures",
    "features",
    "learned_features",
    "kernels",
    "circle",
    "torus",
    "images",
    "one_step",
    "generated_images",
    "generators",
    "equivalence",
    "teacher_student",
    "feature_covariances",
    "replica",
    "classes",
    "projection",
    "data",
)


def _tasks(topic: str) -> dict[str, Task]:
    """Return the tasks that a topic declares, by their names."""
    declared = vars(importlib.import_module(f"twolayer.experiments.{topic}.parameters")).values()
    tasks = [vars(one)["task"] for one in declared if isinstance(one, type) and "task" in vars(one)]
    return {task.name: task for task in tasks}


TASKS = dict(sorted((name, task) for topic in TOPICS for name, task in _tasks(topic).items()))
