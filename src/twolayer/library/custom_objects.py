"""The objects that may replace results as inputs of functions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CustomObject:
    """An object that may replace a result.

    Attributes:
        what: description of the object. annotation: its type in Python notation.
    """

    what: str
    annotation: str


# first of the tasks that create an input -> the object that may replace their result
CUSTOM = {
    "isotropic_mixture": CustomObject("a Mixture with labels -1 and 1", "Mixture"),
    "class_mixture": CustomObject("a Mixture with the numbers of classes as labels", "Mixture"),
    "isotropic_inputs": CustomObject("Inputs", "Inputs"),
    "gaussian_feature_covariances": CustomObject("a FeatureCovariances", "FeatureCovariances"),
    "sign_generator": CustomObject("a Generator, which holds a torch module", "Generator"),
}
