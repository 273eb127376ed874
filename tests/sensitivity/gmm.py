"""Wrong versions of the mixture study."""

from wrong import Wrong

WRONG = [
    Wrong(
        "second layer drawn with scale^2",
        "model/networks.py",
        "scale * rng.standard_normal(hidden_units)",
        "scale**2 * rng.standard_normal(hidden_units)",
        test="tests/unit/test_online_sgd.py",
    ),
    Wrong(
        "learning rate of the chain 5 % off",
        "simulation/order_parameter_chain.py",
        "rate = learning_rate / dimension",
        "rate = 1.05 * learning_rate / dimension",
        test="tests/unit/test_order_parameter_chain.py",
    ),
]
