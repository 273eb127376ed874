"""How a two-layer network learns online: what all simulations and equations of it are given."""

from dataclasses import dataclass

from twolayer.errors import ConfigError


@dataclass(frozen=True)
class Learning:
    """Rates of online SGD; time counts its steps in units of the input dimension N.

    Attributes:
        learning_rate: of the first layer; the second has learning_rate / N a step.
        weight_decay: of both layers, in units of the learning rate.
        train_second_layer: False keeps the second layer as it starts.
    """

    learning_rate: float
    weight_decay: float = 0.0
    train_second_layer: bool = True

    def without_decay(self, what: str) -> None:
        """Refuse weight decay for something that has none.

        Raises:
            ConfigError: there is some.
        """
        if self.weight_decay != 0:
            raise ConfigError(f"weight_decay is {self.weight_decay:g}: {what} has none, set it to 0")
