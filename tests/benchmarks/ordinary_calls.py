"""Share of random ordinary calls of a function that answer, and their CPU time: `python ordinary_calls.py [NAME ...]`.

Each call runs twice in a process of its own, on one thread, and the second is counted. The first imports the modules,
loads compiled code and compiles what is missing; `first_calls.py` measures these. `--calls N` and `--first SEED` choose
the calls. `calls_page.py` writes the output of `--markdown` to docs/reference/calls.md.
"""

import argparse
import collections
import os
import resource
import time
from multiprocessing import get_context

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from first_calls import import_libraries

LIMIT = 75  # CPU seconds of a call


def pick(rng, *choices):
    """One of the choices."""
    return choices[rng.integers(len(choices))]


def power(rng, low, high):
    """A number between 10^low and 10^high, uniform in its logarithm."""
    return float(10 ** rng.uniform(low, high))


def mixture(tl, rng):
    """Two to five clusters in one to three dimensions."""
    clusters = int(rng.integers(2, 6))
    means = 1.5 * rng.standard_normal((clusters, int(rng.integers(1, 4))))
    labels = [1, -1, *(int(label) for label in rng.choice([-1, 1], clusters - 2))]
    weights = rng.dirichlet(np.full(clusters, 3))
    sigma = float(rng.uniform(0.2, 1.5))
    return tl.Mixture(means=means, labels=labels, weights=weights / weights.sum(), sigma=sigma)


def learning_curve(tl, rng):
    """A learning curve of one to eight units."""
    activation, hidden = pick(rng, "relu", "erf", "tanh", "swish"), int(rng.integers(1, 9))
    rate, last_time, decay = power(rng, -2, 0.3), power(rng, 1, 3), power(rng, -3, -1)
    student = tl.Student(activation, hidden_units=hidden, dimension=1000, seed=int(rng.integers(1000)))
    schedule = tl.Schedule(learning_rate=rate, weight_decay=decay, last_time=last_time)
    given = mixture(tl, rng)
    return lambda: tl.learning_curve(given, student, schedule)


def fixed_point(tl, rng):
    """Fixed points at two noise levels, from the initial weights of two to eight units."""
    given = pick(
        rng,
        mixture(tl, rng),
        tl.Mixture("circle", clusters_per_class=int(rng.integers(2, 4)), sigma=0.5),
        tl.Mixture("three_clusters", sigma=0.5),
    )
    activation, hidden = pick(rng, "relu", "erf", "tanh"), int(rng.integers(2, 9))
    student = tl.Student(activation, hidden_units=hidden, seed=int(rng.integers(1000)))
    rates = {"learning_rate": power(rng, -2, 0), "weight_decay": power(rng, -3, -1)}
    return lambda: tl.fixed_point(given, sigma=[0.3, 0.7], student=student, start="student", **rates)


def variable_projection(tl, rng):
    """Variable projection of one to fifty inputs of any scale, with the default step."""
    samples, inputs = int(pick(rng, 50, 300)), int(pick(rng, 1, 3, 10, 50))
    width, ridge, scale = int(pick(rng, 20, 200)), power(rng, -8, 0), power(rng, -3, 3)
    x = rng.uniform(-2, 2, (samples, inputs))
    y = power(rng, -3, 3) * np.sin(2 * x[:, 0])
    return lambda: tl.variable_projection(scale * x, y, width=width, ridge=ridge)


def bayes_error(tl, rng):
    """The Bayes error at one noise level."""
    given, sigma = mixture(tl, rng), power(rng, -2, 1)
    return lambda: tl.bayes_error(given, sigma=[sigma])


def random_features(tl, rng):
    """Random features of a mixture at one noise level."""
    given, sigma, ratio = mixture(tl, rng), power(rng, -1, 1), power(rng, -1, 1)
    activation, dimension = pick(rng, "relu", "erf", "tanh", "sign"), int(pick(rng, 20, 100, 300))
    return lambda: tl.random_features(
        given, sigma=[sigma], input_dimension=dimension, features_per_dimension=[ratio], activation=activation
    )


def replica(tl, rng):
    """Replica theory of up to 800 features."""
    features, ridge, loss = int(pick(rng, 50, 200, 800)), power(rng, -8, 1), pick(rng, "square", "logistic", "hinge")
    ratios = sorted(power(rng, -1.3, 1.3) for _ in range(4))
    x = rng.standard_normal((5 * features, 60))
    scales = np.arange(1, features + 1) ** -rng.uniform(0, 0.8)
    covariances = tl.feature_covariances(
        np.tanh(x @ rng.standard_normal((60, features)) / 8) * scales, x[:, 0] + 0.5 * x[:, 1]
    )
    problem = tl.ConvexProblem(sample_ratios=ratios, ridges=[ridge], losses=[loss], labels="sign")
    return lambda: tl.replica(covariances, problem)


def one_step_theory(tl, rng):
    """Theory of one gradient step at three widths."""
    data = tl.SpikedData(
        input_dimension=int(pick(rng, 50, 200, 400)),
        samples=int(pick(rng, 100, 400, 800)),
        beta=float(rng.uniform(0, 1)),
        alpha=float(rng.uniform(0, 1)),
    )
    axes, activation, ridge = tl.Axes(width=[0.3, 1.0, 3.0]), pick(rng, "relu", "tanh", "sigmoid"), power(rng, -6, 0)
    return lambda: tl.one_step_theory(data, axes, seeds=1, seed=0, activations=[activation], ridge=ridge)


def ultrafast_diffusion(tl, rng):
    """500 steps of ultra-fast diffusion."""
    gamma, cells, step = power(rng, -1, 2), int(pick(rng, 256, 1024)), power(rng, -4, -2)
    descent = tl.Descent(iterations=500, step=step, every=50)
    return lambda: tl.ultrafast_diffusion(gamma=gamma, cells=cells, descent=descent)


CALLS = {
    call.__name__: call
    for call in (
        learning_curve,
        fixed_point,
        variable_projection,
        bayes_error,
        random_features,
        replica,
        one_step_theory,
        ultrafast_diffusion,
    )
}


def answer(name, seed):
    """What a call ends in, and the CPU seconds of its repetition."""
    import twolayer as tl

    resource.setrlimit(resource.RLIMIT_CPU, (2 * LIMIT, 2 * LIMIT + 5))
    call = CALLS[name](tl, np.random.default_rng(seed))
    start = time.process_time()
    try:
        call()
        start = time.process_time()
        result = call()
        numbers = [variable.values for variable in result.data_vars.values() if variable.dtype.kind == "f"]
        found = "answers" if all(np.isfinite(values).all() for values in numbers) else "not finite"
    except tl.TwolayerError as error:
        found = f"{type(error).__name__}: {error}"
    return found, time.process_time() - start


def in_a_process(name, seed):
    """The same in a new process, which a limit on its CPU time may end."""
    context = get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=lambda: answers.put(answer(name, seed)))
    process.start()
    process.join()
    return (f"stopped: exit status {process.exitcode}", float(LIMIT)) if answers.empty() else answers.get()


def main():
    """Run the calls and print a line for each function, and for each call without an answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CALLS)}")
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    import_libraries()
    if options.markdown:
        print("| function | answers | CPU s: median | 90 % | largest |\n|---|---|---|---|---|")
    for name in options.names or CALLS:
        found = [in_a_process(name, seed) for seed in range(options.first, options.first + options.calls)]
        ends = collections.Counter(end.split(":")[0] for end, _ in found)
        times = sorted(seconds for _, seconds in found)
        middle, most = times[len(times) // 2], times[int(0.9 * len(times))]
        if options.markdown:
            row = f"| `{name}` | {ends['answers']} of {options.calls} |"
            print(f"{row} {middle:.2f} | {most:.2f} | {times[-1]:.2f} |", flush=True)
            continue
        for seed, (end, seconds) in zip(range(options.first, options.first + options.calls), found, strict=True):
            if end != "answers":
                print(f"  {name} {seed}: {seconds:.1f} s {end}")
        print(f"{name}: {dict(ends)}, CPU s median {middle:.2f}, 90 % {most:.2f}, largest {times[-1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
