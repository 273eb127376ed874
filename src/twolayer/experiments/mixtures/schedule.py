"""The learning rates of a schedule."""

from twolayer.experiments.mixtures.parameters import Schedule
from twolayer.model.networks.learning import Learning


def learning_of(schedule: Schedule) -> Learning:
    """Return the learning rates of a schedule."""
    return Learning(schedule.learning_rate, schedule.weight_decay, schedule.train_second_layer)
