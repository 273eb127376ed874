"""Wrong versions of the variable-projection study."""

from wrong import Wrong

_STEPS = "tests/unit/test_image_training.py::test_the_first_steps_are_those_of_the_definitions"
_RATES = "tests/unit/test_image_training.py::test_the_final_epochs_have_half_the_rate"
_PLANE = "tests/unit/test_torus_experiments.py::test_densities_follow_their_features"
_CIRCLE = "tests/unit/test_circle.py::test_a_thousand_iterations_agree_with_the_dense_ones[0.001-1.0-{}]"
_IMAGES = "experiments/images/image_training.py"

WRONG = [
    Wrong(
        "final epochs not at half rate",
        _IMAGES,
        "[config.learning_rate / 2] * config.final_epochs",
        "[config.learning_rate] * config.final_epochs",
        test=_RATES,
    ),
    Wrong(
        "SGD without momentum",
        _IMAGES,
        "config.learning_rate, config.momentum, fused=fused",
        "config.learning_rate, 0.0, fused=fused",
        test=_STEPS + "[sgd]",
    ),
    Wrong(
        "outer momentum of variable projection ignored",
        _IMAGES,
        "OuterProjection(risk, config.momentum)",
        "OuterProjection(risk, 0.0)",
        test=_STEPS + "[varpro]",
    ),
    Wrong(
        "unbiased risk for biased",
        _IMAGES,
        "Risk(config.ridge, offset=0.0)",
        "Risk(config.ridge, offset=1.0)",
        test=_STEPS + "[varpro]",
    ),
    Wrong(
        "batch norms see a projected batch once",
        _IMAGES,
        "_TWO_PASSES_MOMENTUM = 1 - (1 - _BATCH_MOMENTUM) ** 2",
        "_TWO_PASSES_MOMENTUM = _BATCH_MOMENTUM",
        test=_STEPS + "[varpro]",
    ),
    Wrong(
        "Shampoo with half the exponent",
        "simulation/shampoo.py",
        "[-1 / len(shape) for shape in here]",
        "[-0.5 / len(shape) for shape in here]",
        test=_STEPS + "[shampoo]",
    ),
    Wrong(
        "outputs not divided by the features",
        "model/resnet.py",
        "return self.features(images) @ self.outer / FEATURES",
        "return self.features(images) @ self.outer",
        test="tests/unit/test_resnet.py::test_outputs_are_means_over_features",
    ),
    Wrong(
        "plane density with twice the bandwidth",
        "experiments/torus/plane_density.py",
        "gaussian_kde(points.T)(grid)",
        "gaussian_kde(points.T, lambda kde: 2 * kde.scotts_factor())(grid)",
        test=_PLANE,
    ),
    Wrong(
        "plane density with x and y exchanged",
        "experiments/torus/plane_density.py",
        'indexing="ij"',
        'indexing="xy"',
        test=_PLANE,
    ),
    Wrong(
        "circle density with twice the bandwidth",
        "simulation/distances.py",
        "/ (2 * bandwidth**2)",
        "/ (8 * bandwidth**2)",
        test="tests/unit/test_distances.py::test_smoothing_of_a_point_is_the_kernel",
    ),
    Wrong(
        "learning rate 5 % larger on the torus",
        "simulation/reduced_descent.py",
        "rate = self._step / (",
        "rate = 1.05 * self._step / (",
        test="tests/unit/test_torus_experiments.py::test_a_descent_takes_the_work_of_its_features_from_the_risk",
    ),
    Wrong(
        "slopes of the torus features 10 % too small",
        "simulation/torus.py",
        "/ -FEATURE_WIDTH",
        "/ -(1.1 * FEATURE_WIDTH)",
        test="tests/unit/test_torus.py::test_a_hundred_iterations_agree_with_the_dense_ones",
    ),
    Wrong(
        "distances on the torus not periodic in x",
        "simulation/distances.py",
        "x -= _PERIOD * np.rint(x / _PERIOD)",
        "x -= 0.0 * np.rint(x / _PERIOD)",
        test="tests/unit/test_distances.py::test_the_torus_is_periodic",
    ),
    Wrong(
        "learning rate 5 % larger on the circle",
        "simulation/circle.py",
        "target_sums, step / (ridge * count))",
        "target_sums, 1.05 * step / (ridge * count))",
        test=_CIRCLE.format(False),
    ),
    Wrong(
        "outer weights 10 % slower in two timescales",
        "simulation/circle.py",
        "outer[:, 0] -= image + ridge * u - right_targets - ridge * offset",
        "outer[:, 0] -= 0.9 * (image + ridge * u - right_targets - ridge * offset)",
        test=_CIRCLE.format(True),
    ),
    Wrong(
        "first harmonic of the relu kernel doubled",
        "theory/mean_field_flow.py",
        "np.concatenate([[1 / 8],",
        "np.concatenate([[1 / 4],",
        test="tests/unit/test_mean_field_flow.py::test_strengths_are_the_harmonics_of_the_relu_kernel",
    ),
    Wrong(
        "mean-field flow twice as fast",
        "theory/mean_field_flow.py",
        "return u * (1j",
        "return 2 * u * (1j",
        test="tests/unit/test_mean_field_flow.py::test_a_network_of_quantiles_moves_with_the_flow[1.0-2.0-0.001]",
    ),
    Wrong(
        "ultra-fast diffusion half as fast",
        "theory/ultrafast_diffusion.py",
        "flux = self.faces * (",
        "flux = 0.5 * self.faces * (",
        test="tests/unit/test_ultrafast_diffusion.py::test_the_diffusion_converges_at_that_rate",
    ),
    Wrong(
        "masses of the teacher's two parts exchanged",
        "model/teachers.py",
        "return scale * (2 * first + second) / 3",
        "return scale * (first + 2 * second) / 3",
        test="tests/unit/test_teachers.py::test_cell_averages_are_integrals_of_the_density",
    ),
    Wrong(
        "every second feature of the teacher shifted",
        "model/teachers.py",
        "angles[1::3] += _SHIFT",
        "angles[1::2] += _SHIFT",
        test="tests/unit/test_teachers.py::test_samples_follow_the_density",
    ),
    Wrong(
        "regularisation of the risk doubled",
        "simulation/reduced_risk.py",
        "(outer - self.offset).square() / 2",
        "(outer - self.offset).square()",
        test="tests/unit/test_variable_projection.py::test_primal_and_dual_are_the_minimum",
    ),
    Wrong(
        "outer weights of another power",
        "model/power_entropies.py",
        "return base ** (1 / (power - 1))",
        "return base ** (1 / power)",
        test="tests/unit/test_circle.py::test_outer_weights_minimise_a_risk_with_entropy[0.1-1.5]",
    ),
    Wrong(
        "diffusion under an entropy driven by the ratio itself",
        "theory/ultrafast_diffusion.py",
        "entropy_slope(potential, self.power)",
        "entropy_slope(potential, 2.0)",
        test="tests/unit/test_ultrafast_diffusion.py::test_the_drift_is_the_gradient_flow_of_the_divergence",
    ),
    Wrong(
        "ResNet-32 as deep as ResNet-20",
        "model/resnet.py",
        "range(layers // _DEEPER)",
        "range(3)",
        test="tests/unit/test_resnet.py::test_thirty_two_layers_of_weights",
    ),
]
