"""Networks of relu features on the circle: risk, and distances to the teacher and to the two limits."""

import numpy as np
import xarray as xr

from twolayer.errors import ResultError
from twolayer.experiments.circle.parameters import CircleDescent
from twolayer.model.networks.descent import OFFSETS
from twolayer.model.teachers.circle_problem import CircleProblem, draw_problem
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.progress import track
from twolayer.results.descents import flow_quantiles
from twolayer.simulation.mean_field.circle_features import CircleData, FeaturePath, descend, network_output
from twolayer.simulation.mean_field.distances import CircleMeasure, circle_mmd

_DISTANCES = ("mmd_teacher", "mmd_diffusion", "mmd_flow")


def run(config: CircleDescent, diffusion: xr.Dataset, flow: xr.Dataset) -> xr.Dataset:
    """Run the descent from every seed at every width, and return risks and distances along the way."""
    diffusion, flow = _as_measured(diffusion, "diffusion", config), _as_measured(flow, "flow", config)
    limits = [_diffusion_measures(diffusion), _flow_measures(flow, config)]
    measured, widest = config.descent.measured, int(np.argmax(config.widths))
    shape = (len(config.widths), config.seeds, len(measured))
    risk, distances = np.empty(shape), np.empty((len(_DISTANCES), *shape))
    snapshots = []
    for draw in track(range(config.seeds), "seeds"):
        problem = _problem(config, draw)
        teacher = CircleMeasure.at(problem.teacher)
        for place, trajectory in enumerate(_trajectories(config, problem)):
            students = [CircleMeasure.at(angles) for angles in trajectory.angles]
            risk[place, draw] = trajectory.risk
            for row, targets in zip(distances, [[teacher] * len(measured), *limits], strict=True):
                row[place, draw] = [circle_mmd(*pair) for pair in zip(students, targets, strict=True)]
            if place == widest:
                snapshots.append(trajectory.angles[np.searchsorted(measured, config.snapshots)])
    along = ("width", "seed", "iteration")
    return xr.Dataset(
        {
            "risk": (along, risk),
            **{name: (along, values) for name, values in zip(_DISTANCES, distances, strict=True)},
            "feature_angle": (("seed", "snapshot", "feature"), np.stack(snapshots)),
        },
        coords={
            "width": list(config.widths),
            "seed": config.seed + np.arange(config.seeds),
            "iteration": measured,
            "snapshot": list(config.snapshots),
            "gamma": config.gamma,
            "ridge": config.ridge,
            "regularization": config.regularization,
        },
    )


def _as_measured(result, role, config):
    """Return a limit at the iterations of this run. Raise an error if it has another teacher or lacks an iteration."""
    wanted = {"gamma": config.gamma, "power": config.power, "step": config.descent.step}
    for name, value in wanted.items():
        if float(result[name]) != value:
            raise ResultError(
                f"input {role!r} has {name} {float(result[name]):g} where this run has {value:g}: give both the same "
                f"{name}"
            )
    if lacking := np.setdiff1d(config.descent.measured, result.iteration).tolist():
        raise ResultError(
            f"input {role!r} has {result.sizes['iteration']} iterations up to {int(result.iteration[-1])}, "
            f"but not iteration {lacking[0]} of this run: give it a descent with all iterations of this run"
        )
    return result.sel(iteration=config.descent.measured)


def _diffusion_measures(diffusion):
    spacing = 2 * np.pi / diffusion.sizes["angle"]
    angles = diffusion.angle.values
    return [CircleMeasure.at(angles, density * spacing) for density in diffusion.density.values]


def _flow_measures(flow, config):
    quantiles = flow_quantiles(flow, config.ridge, config.regularization)
    return [CircleMeasure.at(angles) for angles in quantiles.values]


def _problem(config, draw) -> CircleProblem:
    seed, teacher = config.seed + draw, CircleTeacher(config.gamma)
    sizes = (teacher, config.teacher_width, config.samples, config.widths)
    if config.stream == "published":
        from twolayer.model.teachers.published_stream import replay_problem  # needs torch, which takes seconds to load

        return replay_problem(seed, *sizes)
    return draw_problem(np.random.SeedSequence(seed), *sizes)


def _trajectories(config, problem) -> list[FeaturePath]:
    data = CircleData.of(problem.inputs, network_output(problem.inputs, problem.teacher))
    parameters = (config.ridge, OFFSETS[config.regularization], config.descent.step, config.descent.measured)
    ways = {"two_timescale": config.algorithm == "two_timescale", "power": config.power}
    return [descend(data, start, *parameters, **ways) for start in problem.students]
