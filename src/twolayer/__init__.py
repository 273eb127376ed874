"""Two-layer networks in theory and simulation: a library of the equations and the experiments of four papers.

    refinetti2021   Refinetti, Goldt, Krzakala, Zdeborova, arXiv 2102.11742    mixtures
    barboni2025     Barboni, Peyre, Vialard, arXiv 2504.18208                  varpro
    demir2025       Demir, Dogan, arXiv 2503.00856                             one_step
    goldt2021       Goldt, Loureiro, Reeves, Krzakala, Mezard, Zdeborova,
                    arXiv 2006.14709                                           gaussian_equivalence

The public interface has classes (`Mixture`, `Student`, `Schedule`, ...) and functions (`online_sgd`, `learning_curve`,
...). There is a function for each task of the workflow, with the same name, parameters, defaults and result
(docs/reference/library.md).

    import twolayer as tl

    mixture = tl.Mixture(means=[[1, 0], [0, 1], [0, -1]], labels=[1, -1, -1], weights=[0.5, 0.3, 0.2], sigma=0.6)
    student = tl.Student("erf", hidden_units=3, dimension=500, seed=0)
    schedule = tl.Schedule(learning_rate=0.2, weight_decay=0.01, last_time=100)
    theory = tl.learning_curve(mixture, student, schedule)
    runs = tl.online_sgd(mixture, student, schedule, seeds=10)

One notation for all of them; a name here is the name in the code:

    here             meaning                                            mixtures       varpro   one_step    equivalence
    N, D             dimension of the input, of the latent              N (D in RF)    -        n           N, D
    K                hidden units of the student                        K              M        k           K
    C                clusters of a mixture (all classes together)       2 NG           -        2           -
    P                dimension of the space that holds the means        -              -        -           -
    F                number of random features                          F              -        -           d
    p, d             number of features of a teacher, of a student      -              -        -           p, d
    W, v             first- and second-layer weights                    w, v           w, u     F, w        w, v
    pre-activation   lambda_k = w_k . x / sqrt N                        lambda         -        z           lambda
    means            E[x | cluster]                                     mu / sqrt N    -        -           -
    Q                covariance of pre-activations, or w_k . w_l / N    Q              -        -           Q
    M                mean of the pre-activations in each cluster        R, M           -        -           -
    B, A             first- and second-layer weights of a teacher       -              -        -           B, A
    nu, M            pre-activations of a teacher, B_m . c / sqrt D     -              -        -           nu, M
    R, T             covariance of lambda and nu, of nu and nu          -              -        -           R, T
    C, u             covariance of (lambda, nu); weights (v, -A)        -              -        -           -
    q, r, tt         products of weights in each mode of Omega; the     -              -        -           q, r, t
                     paper's are N q, sqrt(delta) N r, delta N tt
    rho, delta       eigenvalue of Omega, D / N                         -              -        -           rho, delta
    samples          number of training samples                         -              -        m           n
    sample_ratio     samples / features                                 -              -        m / k       alpha
    Psi, Phi, Omega  covariances of teacher's and student's features    -              -        -           the same
    power            variance of the teacher's pre-activation           -              -        -           rho
    alignments       teacher's pre-activation in the modes of Omega     -              -        -           tau
    V, q, m          overlaps of a batch estimator; conjugates: _hat    -              -        -           the same
    spike, step      n^(beta (1 - alpha)), n^(beta alpha)               -              -        theta, eta  -
    signal           total variance that images are scaled to           -              -        theta       -
    rest             strength of the rest after the Hermite terms       -              -        c_*         k_*
    R                w_k / sqrt N in the space of the means             (R = means R)  -        -           -
    learning_rate    eta                                                lr             tau      eta         lr
    weight_decay     ridge on the weights in online SGD                 reg            -        -           -
    ridge            ridge of a least-squares problem                   -              lambda   lambda      lambda
    width, samples   features of a mean-field network, data points      -              M, N     -           -
    outer            outer weights of a mean-field network, M v         -              u        -           -
    gamma            concentration of a teacher's features              -              gamma    -           -
    pmse             half the mean squared error                        pmse           -        -           eg

Time in online learning is t = steps / N.
"""

import importlib.util
import os
from typing import Any

from twolayer.versions import LIBRARY, check_source_date, check_versions
from twolayer.versions import __version__ as __version__

check_versions(LIBRARY)  # before an outdated package causes other errors
check_source_date(os.environ)

from twolayer.compiled import cache_compiled_code  # noqa: E402

cache_compiled_code()

# Everything is imported at its first use, so that numba, xarray and torch load only when they are needed. Every other
# name is a function if there is a task of that name. Type checkers see `__init__.pyi`, see `library.stub`.
_MODULES = {
    "twolayer.library.feature_covariances": "FeatureCovariances",
    "twolayer.library.inputs": "Inputs",
    "twolayer.library.mixture": "Mixture",
    "twolayer.library.prediction": "predict",
    "twolayer.experiments.mixture_inputs.geometry": "Geometry",
    "twolayer.experiments.mixtures.parameters": "Schedule Student",
    "twolayer.experiments.learned_features.parameters": "MixtureProblem",
    "twolayer.experiments.circle.parameters": "Descent",
    "twolayer.experiments.one_step.parameters": "Axes GradientSteps SpikedData",
    "twolayer.experiments.generated_images.parameters": "ImageAxes",
    "twolayer.experiments.equivalence.parameters": "TeacherLearning",
    "twolayer.experiments.teacher_student.parameters": "Start Teacher",
    "twolayer.experiments.replica.parameters": "ConvexProblem",
    "twolayer.experiments.data.parameters": "FeatureMap",
    "twolayer.model.networks.activations": "Activation",
    "twolayer.errors": "ConfigError DataError NotConverged ResultError SmallSample TwolayerError UnconvergedPoint",
    "twolayer.io": "read write",
    "twolayer.model.generators.custom_generators": "Generator",
    "twolayer.pipeline.report.figure_data": "figure",
}
HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name.startswith("_") or importlib.util.find_spec(f"twolayer.{name}"):  # Python imports submodules itself
        raise AttributeError(f"module 'twolayer' has no attribute {name!r}")
    value = getattr(importlib.import_module(HOMES.get(name, "twolayer.library.functions")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*HOMES, *importlib.import_module("twolayer.experiments").TASKS})
