"""A student of a teacher in the library: limits, symmetries, conserved quantities, and simulations."""

import math

import numpy as np
import pytest
from scipy.special import erf

import twolayer as tl
from twolayer.parameters import to_json

INPUTS = tl.Inputs(dimension=1000)
RATE = 0.5


def schedule(last_time=20.0, **options):
    return tl.Schedule(**{"learning_rate": RATE, "last_time": last_time, "measurements": 8} | options)


def covariance(fields=5, seed=3):
    root = np.random.default_rng(seed).standard_normal((fields, 2 * fields))
    return root @ root.T / (2 * fields)


def start(hidden=3, seed=3, **more):
    C = covariance(hidden + 2, seed)
    return {"Q": C[:hidden, :hidden], "R": C[:hidden, hidden:], "T": C[hidden:, hidden:], **more}


def curve(inputs=INPUTS, student="erf", teacher="erf", *, units=3, second_layer=0.6, noise=0.1, plan=None, **options):
    student = tl.Student(student, hidden_units=units, second_layer=second_layer)
    teacher = tl.Teacher(teacher, hidden_units=2, second_layer=[1.0, 0.5], noise=noise)
    return tl.learning_curve(inputs, student, plan or schedule(), teacher=teacher, **{"start": start(units)} | options)


class TestLimits:
    def test_one_unit_of_saad_and_solla(self):
        """The drift of R and Q of one erf unit with one teacher unit, as Biehl and Schwarze (1995) give it."""
        Q, R = 0.7, 0.3
        found = tl.learning_curve(
            tl.Inputs(dimension=10**9),
            tl.Student("erf", hidden_units=1, second_layer=1.0),
            schedule(2e-5, first_time=1e-5, measurements=2, train_second_layer=False),
            teacher=tl.Teacher("erf", hidden_units=1),
            start={"Q": [[Q]], "R": [[R]]},
            tolerance=1e-13,
        )
        time = float(found.time[-1])
        scale, inner = 2 * RATE / math.pi / (1 + Q), math.sqrt(2 * (1 + Q) - R**2)
        drift_R = scale * ((1 + Q - R**2) / inner - R / math.sqrt(1 + 2 * Q))
        noise = math.asin(Q / (1 + 3 * Q)) + math.asin((1 + 2 * (Q - R**2)) / (2 * (1 + 2 * Q - R**2)))
        noise -= 2 * math.asin(R / math.sqrt(2 * (1 + 2 * Q - R**2) * (1 + 3 * Q)))
        drift_Q = 2 * scale * (R / inner - Q / math.sqrt(1 + 2 * Q))
        drift_Q += (2 * RATE / math.pi) ** 2 / math.sqrt(1 + 2 * Q) * noise
        assert (float(found.R[-1, 0, 0]) - R) / time == pytest.approx(drift_R, rel=1e-4)
        assert (float(found.Q[-1, 0, 0]) - Q) / time == pytest.approx(drift_Q, rel=1e-4)

    def test_a_linear_unit_ends_at_the_noise(self):
        """eta s^2 / (4 - 2 eta) is half the mean squared error of one linear unit in the end."""
        found = tl.learning_curve(
            INPUTS,
            tl.Student("linear", hidden_units=1, second_layer=1.0),
            schedule(200.0, train_second_layer=False),
            teacher=tl.Teacher("linear", hidden_units=1, noise=0.3),
        )
        assert float(found.pmse[-1]) == pytest.approx(RATE * 0.3**2 / (4 - 2 * RATE), rel=1e-6)

    @pytest.mark.parametrize("activation", ["erf", "relu", "linear", np.square])
    def test_the_teacher_itself_stays(self, activation):
        C = covariance(2)
        here = {"Q": C, "R": C, "T": C, "v": [1.0, 0.5]}
        plan = schedule(5.0, learning_rate=0.02 if activation is np.square else RATE)  # at which the teacher is stable
        found = curve(student=activation, teacher=activation, units=2, noise=0.0, start=here, plan=plan)
        assert abs(found.pmse).max() < 1e-10
        np.testing.assert_allclose(found.Q[-1], C, atol=1e-6)

    def test_small_rates_are_gradient_flow(self):
        slow = curve(plan=schedule(200.0, learning_rate=0.05, first_time=1.0), noise=0.0)
        flow = curve(plan=schedule(200.0, learning_rate=0.05, first_time=1.0), noise=0.0, gradient_noise="none")
        slower = curve(plan=schedule(2000.0, learning_rate=0.005, first_time=10.0), noise=0.0)
        gaps = [float(abs(one.pmse.values / flow.pmse.values - 1).max()) for one in (slow, slower)]
        assert gaps[0] < 0.2
        assert gaps[1] == pytest.approx(gaps[0] / 10, rel=0.3)

    def test_label_noise_alone(self):
        """Without it, the part of the label noise is nothing."""
        silent, flow = (curve(noise=0.0, gradient_noise=part) for part in ("labels", "none"))
        np.testing.assert_allclose(silent.pmse, flow.pmse, rtol=1e-12)
        assert float(curve(gradient_noise="labels").pmse[-1]) > float(flow.pmse[-1])


class TestCovariances:
    OMEGA = np.diag(1000 * np.arange(1, 1001) ** -0.5 / np.sum(np.arange(1, 1001) ** -0.5))

    def test_steps_are_small_enough_for_the_largest_eigenvalue(self):
        """The flow of a linear unit, which relaxes at the rate eta rho in each mode: steps of 0.05 diverge."""
        rng, rate = np.random.default_rng(0), 4.0
        W, B = rng.standard_normal((1, 1000)), rng.standard_normal((1, 1000))
        found = tl.learning_curve(
            tl.Inputs(covariance=self.OMEGA),
            tl.Student("linear", hidden_units=1, second_layer=1.0),
            schedule(3.0, learning_rate=rate, train_second_layer=False),
            teacher=tl.Teacher("linear", hidden_units=1),
            start={"W": W, "B": B},
            gradient_noise="none",
        )
        rho, error = np.diag(self.OMEGA), (W - B)[0]
        expected = [0.5 * np.mean(rho * (error * np.exp(-rate * rho * time)) ** 2) for time in found.time.values]
        np.testing.assert_allclose(found.pmse, expected, rtol=1e-5)

    def test_flow_needs_no_points(self):
        flow = {"gradient_noise": "none", "plan": schedule(2.0, learning_rate=0.1), "student": "swish"}
        weights = {"W": np.eye(3, 30), "B": np.eye(2, 30)}
        found = curve(tl.Inputs(covariance=np.eye(30)), teacher="tanh", start=weights, **flow)
        isotropic = curve(tl.Inputs(dimension=30), teacher="tanh", start=weights, **flow)
        np.testing.assert_allclose(found.pmse, isotropic.pmse, rtol=1e-4)
        assert not found.pmse_sem.any()


class TestSymmetries:
    def test_permutation_of_units(self):
        order, one = [2, 0, 1], start(v=[0.3, 0.5, 0.7])
        other = {"Q": one["Q"][order][:, order], "R": one["R"][order][:, ::-1], "T": one["T"][::-1, ::-1]}
        other["v"] = np.array(one["v"])[order]
        first = curve(start=one)
        teacher = tl.Teacher("erf", hidden_units=2, second_layer=[0.5, 1.0], noise=0.1)
        second = tl.learning_curve(INPUTS, tl.Student("erf", hidden_units=3), schedule(), teacher=teacher, start=other)
        np.testing.assert_allclose(second.pmse, first.pmse, rtol=1e-7)
        np.testing.assert_allclose(second.R, first.R.values[:, order][:, :, ::-1], atol=1e-7)

    def test_signs_of_odd_units(self):
        signs, one = np.array([1, -1, 1]), start(v=[0.3, 0.5, 0.7])
        other = one | {"Q": one["Q"] * np.outer(signs, signs), "R": one["R"] * signs[:, None], "v": one["v"] * signs}
        np.testing.assert_allclose(curve(start=other).pmse, curve(start=one).pmse, rtol=1e-7)

    @pytest.mark.parametrize("teacher", ["erf", "relu"])
    def test_rotation_of_inputs(self, teacher):
        rng, N = np.random.default_rng(0), 30
        W, B, root = rng.standard_normal((3, N)), rng.standard_normal((2, N)), rng.standard_normal((N, N))
        Omega, turn = root @ root.T / N, np.linalg.qr(rng.standard_normal((N, N)))[0]
        one = curve(tl.Inputs(covariance=Omega), teacher=teacher, start={"W": W, "B": B})
        turned = tl.Inputs(covariance=turn @ Omega @ turn.T)
        other = curve(turned, teacher=teacher, start={"W": W @ turn.T, "B": B @ turn.T})
        np.testing.assert_allclose(other.pmse, one.pmse, rtol=1e-8)

    def test_the_covariance_one_is_isotropic(self):
        rng, N = np.random.default_rng(0), 40
        weights = {"W": rng.standard_normal((3, N)), "B": rng.standard_normal((2, N))}
        isotropic = curve(tl.Inputs(dimension=N), start=weights)
        for inputs in (tl.Inputs(covariance=np.eye(N)), tl.Inputs(Omega=np.eye(N), Phi=np.eye(N))):
            np.testing.assert_allclose(curve(inputs, start=weights).pmse, isotropic.pmse, rtol=1e-6)

    def test_inputs_without_variance_do_not_count(self):
        """A tenth of the coordinates is always zero: the learning rate is lower by as much."""
        rng, N = np.random.default_rng(0), 50
        W, B = rng.standard_normal((3, N)), rng.standard_normal((2, N))
        one = curve(tl.Inputs(covariance=np.diag(np.arange(N) < 45)), start={"W": W, "B": B}, plan=schedule(20.0))
        scale = math.sqrt(45 / 50)
        kept = {"W": scale * W[:, :45], "B": scale * B[:, :45]}
        plan = schedule(20.0 / 0.9, first_time=0.1 / 0.9, learning_rate=0.9 * RATE)
        other = curve(tl.Inputs(dimension=45), start=kept, plan=plan, second_layer_rate=0.9 * RATE)
        np.testing.assert_allclose(other.pmse[-1], one.pmse[-1], rtol=1e-5)


class TestConserved:
    @pytest.mark.parametrize("activation", ["linear", "relu"])
    def test_norms_of_both_layers_in_gradient_flow(self, activation):
        """Of homogeneous units, |w_k|^2 / N - v_k^2 stays."""
        found = curve(student=activation, teacher=activation, gradient_noise="none", start=start(v=[0.3, 0.5, 0.7]))
        kept = np.diagonal(found.Q.values, axis1=1, axis2=2) - found.v.values**2
        assert abs(found.v[-1] - found.v[0]).max() > 0.1
        np.testing.assert_allclose(kept, np.broadcast_to(kept[0], kept.shape), atol=1e-6)

    @pytest.mark.parametrize("unit", ["erf", "relu", "tanh"])
    def test_the_sphere_of_inputs_with_a_covariance(self, unit):
        """Of isotropic inputs it is the other solver. Else weight decay has no effect, and units follow their scale."""
        rng, N = np.random.default_rng(1), 30
        W, B, given = rng.standard_normal((3, N)), rng.standard_normal((2, N)), {"student": unit, "weights": "sphere"}
        given |= {"start": {"W": W, "B": B}, "plan": schedule(3.0)}
        inputs = tl.Inputs(covariance=np.eye(N)), tl.Inputs(covariance=np.diag(np.linspace(0.2, 1.8, N)))
        isotropic, same = (curve(one, **given) for one in (tl.Inputs(dimension=N), inputs[0]))
        np.testing.assert_allclose(same.pmse, isotropic.pmse, rtol=1e-5)
        free, decayed = (
            curve(inputs[1], **given | {"plan": schedule(3.0, weight_decay=decay)}, second_layer_decay=0.0)
            for decay in (0.0, 0.7)
        )
        np.testing.assert_allclose(decayed.pmse, free.pmse, rtol=1e-6)
        assert abs(free.Q[-1, 0, 0] / free.Q[0, 0, 0] - 1) > 1e-3  # the norm stays, and not the variance

    def test_norms_on_the_sphere(self):
        found = curve(weights="sphere")
        norms = np.diagonal(found.Q.values, axis1=1, axis2=2)
        np.testing.assert_allclose(norms, np.broadcast_to(norms[0], norms.shape), rtol=1e-10)
        runs = simulated(tl.Inputs(dimension=200), weights="sphere")
        norms = np.diagonal(runs.Q.values[0], axis1=1, axis2=2)
        np.testing.assert_allclose(norms, np.broadcast_to(norms[0], norms.shape), rtol=1e-10)


class TestLongTimes:
    """At late times stability limits the steps of an explicit method."""

    @pytest.mark.parametrize("tolerance", [1e-8, 1.0005e-8, 1.001e-8, 1.002e-8])
    def test_isotropic_inputs(self, tolerance):
        """Rounding errors of a vanishing component must not decide whether the integration comes to its end."""
        found = curve(plan=schedule(1e6), noise=0.0, tolerance=tolerance)
        assert (found.pmse >= 0).all()
        assert found.pmse[-1] < 1e-6

    def test_a_covariance(self):
        """Steps that grow with the time lead to the same end."""
        inputs, weights = tl.Inputs(covariance=np.diag(np.linspace(0.5, 1.5, 20))), {"start": None}
        fine, grown = (curve(inputs, plan=schedule(3e4), step=step, **weights) for step in (0.2, None))
        np.testing.assert_allclose(grown.pmse[-3:], fine.pmse[-3:], rtol=1e-6)


def simulated(inputs, seeds=2, student="erf", teacher="erf", **options):
    return tl.online_sgd(
        inputs,
        tl.Student(student, hidden_units=3, second_layer=0.6),
        schedule(5.0),
        teacher=tl.Teacher(teacher, hidden_units=2, second_layer=[1.0, 0.5], noise=0.1),
        seeds=seeds,
        **{"start": start(3)} | options,
    )


def brute_force(W, v, B, A, root, times, rng, *, noise, decay, second_rate):
    """pmse of 20,000 fresh inputs of a student that learns input by input, written out."""
    N, pmse, done = W.shape[1], [], 0
    test = rng.standard_normal((20_000, N)) @ root
    for time in times:
        while done < round(time * N):
            x = root @ rng.standard_normal(N)
            fields = W @ x / math.sqrt(N)
            error = v @ erf(fields / math.sqrt(2)) - A @ np.maximum(B @ x / math.sqrt(N), 0)
            error -= noise * rng.standard_normal()
            slopes = math.sqrt(2 / math.pi) * np.exp(-(fields**2) / 2)
            gradient = np.outer(v * slopes * error, x)
            v = v - second_rate / N * (erf(fields / math.sqrt(2)) * error + decay * v)
            W = (1 - RATE * decay / N) * W - RATE / math.sqrt(N) * gradient
            done += 1
        output = erf(test @ W.T / math.sqrt(2 * N)) @ v
        pmse.append(np.mean((output - np.maximum(test @ B.T / math.sqrt(N), 0) @ A) ** 2) / 2)
    return np.array(pmse)


class TestSimulations:
    @pytest.mark.parametrize("with_covariance", [False, True])
    def test_theory_simulation_and_brute_force(self, with_covariance):
        """An erf student of a relu teacher, with label noise, weight decay and two rates; N = 200."""
        rng, N = np.random.default_rng(1), 200
        variances = np.linspace(0.5, 1.5, N) if with_covariance else np.ones(N)
        inputs = tl.Inputs(covariance=np.diag(variances)) if with_covariance else tl.Inputs(dimension=N)
        W, B, v = rng.standard_normal((3, N)), rng.standard_normal((2, N)), np.array([0.4, 0.8, -0.3])
        plan = schedule(8.0, measurements=5, weight_decay=0.05)
        problem = {
            "teacher": tl.Teacher("relu", hidden_units=2, second_layer=[1.0, 0.5], noise=0.2),
            "start": {"W": W, "B": B, "v": v},
            "second_layer_rate": 0.2,
        }
        theory = tl.learning_curve(inputs, tl.Student("erf", hidden_units=3), plan, **problem)
        runs = tl.online_sgd(inputs, tl.Student("erf", hidden_units=3), plan, **problem, seeds=20)
        options = {"noise": 0.2, "decay": 0.05, "second_rate": 0.2}
        network = (W, v, B, np.array([1.0, 0.5]), np.diag(np.sqrt(variances)), theory.time.values)
        known = np.array([brute_force(*network, one, **options) for one in rng.spawn(6)])
        assert not theory.pmse_sem.any()
        error = np.std(runs.pmse, axis=0, ddof=1) / math.sqrt(20)
        assert np.all(abs(runs.pmse.mean("seed") - theory.pmse) <= 4 * error + 0.01 * theory.pmse)
        error = np.hypot(error, np.std(known, axis=0, ddof=1) / math.sqrt(6))
        assert np.all(abs(runs.pmse.mean("seed") - known.mean(axis=0)) <= 4 * error + 0.01 * theory.pmse)

    def test_both_start_from_the_same_order_parameters(self):
        runs, theory = simulated(INPUTS), curve(plan=schedule(5.0))
        for name in ("Q", "R", "v", "pmse"):
            np.testing.assert_allclose(runs[name][0, 0], theory[name][0], rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(runs.T, theory.T, atol=1e-12)
        runs, theory = simulated(INPUTS, start=None), curve(plan=schedule(5.0), start=None)
        np.testing.assert_allclose(runs.R[0, 0], theory.R[0], rtol=1e-9)

    def test_an_informed_start(self):
        found = curve(start={"overlap": 0.8}, units=4)
        np.testing.assert_allclose(found.R[0], 0.8 * np.tile(np.eye(2), (2, 1)), atol=0.15)

    def test_a_curve_goes_on_from_another(self):
        whole, first = curve(plan=schedule(10.0)), curve(plan=schedule(5.0))
        last = first.isel(time=-1)
        rest = curve(plan=schedule(5.0), start={name: last[name] for name in ("Q", "R", "T", "v")})
        assert float(rest.pmse[-1]) == pytest.approx(float(whole.pmse[-1]), rel=1e-6)

    def test_a_generator_s_moments_are_inputs(self):
        generator = tl.sign_generator(widths=[20, 60])
        found = curve(tl.moments(generator), start=None)
        assert float(found.pmse[-1]) < float(found.pmse[0])


class TestPoints:
    def test_the_stated_error(self):
        plan = schedule(5.0, measurements=3)
        few, many = (curve(student="tanh", plan=plan, log2_points=size) for size in (8, 15))
        assert few.pmse_sem[0] == 0
        assert 0 < few.pmse_sem[-1] < 0.01 * few.pmse[-1]
        assert np.all(abs(few.pmse - many.pmse) <= 10 * few.pmse_sem + 1e-9)

    def test_flow_needs_no_points(self):
        assert not curve(student="tanh", plan=schedule(5.0, measurements=3), gradient_noise="none").pmse_sem.any()

    def test_what_stays_uncertain_is_refused(self):
        with pytest.raises(tl.NotConverged, match=r"have no closed form, and 2\^16 points change pmse by"):
            curve(student="hermite4", teacher="erf", plan=schedule(1.0, learning_rate=1e-3, measurements=3), units=3)


NOTHING = {"Q": np.zeros((3, 3)), "R": np.zeros((3, 2))}
UNTAUGHT = {"Q": np.eye(3), "R": np.zeros((3, 2)), "T": np.zeros((2, 2))}


class TestNetworksWithoutWeights:
    def test_smooth_units(self):
        """Tiny weights lead to the same curve. Relu units need them."""
        tiny = {"Q": 1e-12 * np.eye(3), "R": np.zeros((3, 2))}
        none, few = (curve(start=start, plan=schedule(2.0)) for start in (NOTHING, tiny))
        np.testing.assert_allclose(few.pmse, none.pmse, rtol=1e-5)
        assert np.isfinite(curve(student="relu", start=tiny, plan=schedule(2.0)).pmse).all()

    def test_simulations_without_a_formula_of_their_error(self):
        with pytest.raises(tl.ConfigError, match="unit 1 of the student starts with weights 0, where the averages"):
            simulated(INPUTS, start=NOTHING, student="tanh")

    def test_simulations_on_the_sphere(self):
        with pytest.raises(tl.ConfigError, match="weights of unit 1 start at 0"):
            simulated(INPUTS, start=NOTHING, weights="sphere")


class TestRefused:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"start": {"Q": [[1.0]]}}, "Q and R belong together in start"),
            ({"start": {"Q": np.eye(3), "R": np.zeros((2, 2))}}, r"R of start has shape \(2, 2\): it must be \(3, 2\)"),
            ({"start": {"Q": np.eye(3), "R": np.ones((3, 2))}}, "Q, R and T of start are not a covariance"),
            ({"start": {"W": [[1.0], [1.0, 2.0], [3.0]]}}, "W of start has rows of different lengths"),
            ({"start": {"Q": np.eye(3), "R": np.zeros((3, 2)), "W": [[1.0]]}}, "both order parameters and weights"),
            ({"inputs": tl.Inputs(covariance=np.eye(9))}, "learning depends on the weights along each"),
            ({"inputs": tl.Inputs(covariance=np.diag([1.0, -1])), "start": None}, "covariance has the eigenvalue -1"),
            ({"nodes": 8}, "nodes is 8, but isotropic inputs have one mode"),
            ({"student": "sign"}, "activation is 'sign', whose slope is zero"),
            ({"gradient_noise": "some"}, "gradient_noise is 'some': choose one of full, labels, none"),
            ({"plan": schedule(train_second_layer=False), "second_layer_rate": 0.1}, "second_layer_rate is given"),
            ({"start": NOTHING, "student": "tanh"}, "unit 1 of the student starts with weights 0, where the averages"),
            ({"start": NOTHING, "student": "relu"}, "averages of relu and erf units have no formula: give it a small"),
            ({"start": UNTAUGHT, "teacher": "relu"}, "unit 1 of the teacher starts with weights 0"),
            ({"start": NOTHING, "weights": "sphere"}, "weights of unit 1 start at 0 and have no direction"),
        ],
    )
    def test_problems(self, options, message):
        with pytest.raises(tl.ConfigError, match=message) as raised:
            curve(**options)
        assert str(raised.value).startswith("learning_curve: ") or "\n" not in str(raised.value)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({}, "dimension is missing"),
            ({"Omega": np.eye(2)}, "Omega and Phi belong together"),
            ({"covariance": np.eye(2), "dimension": 3}, "dimension is 3, but covariance has shape"),
            ({"covariance": [[1.0, 0.2], [0.0, 1.0]]}, "covariance is not symmetric"),
            ({"covariance": [1.0, 2.0]}, r"covariance has shape \(2,\)"),
            ({"Omega": np.eye(2), "Phi": np.eye(3)}, r"Phi has shape \(3, 3\): it must be \(2, D\)"),
            ({"covariance": np.eye(2), "Omega": np.eye(2), "Phi": np.eye(2)}, "covariance is given with Omega"),
        ],
    )
    def test_inputs(self, arguments, message):
        with pytest.raises(tl.ConfigError, match=message):
            tl.Inputs(**arguments)

    def test_second_layers(self):
        with pytest.raises(tl.ConfigError, match="second_layer of the student has 2 weights"):
            tl.Student("erf", hidden_units=3, second_layer=[1.0, 2.0])
        with pytest.raises(tl.ConfigError, match="second_layer of the teacher has 1 weights"):
            tl.Teacher("erf", hidden_units=3, second_layer=[1.0])

    def test_a_mixture_needs_no_teacher(self):
        mixture = tl.Mixture(means=[[1.0], [-1.0]], labels=[1, -1], sigma=0.5)
        with pytest.raises(tl.ConfigError, match="unknown argument 'teacher'"):
            tl.learning_curve(mixture, tl.Student("erf", 2), schedule(), teacher=tl.Teacher("erf", 2))


def test_the_function_is_the_task(tmp_path):
    one = curve()
    student = tl.Student("erf", hidden_units=3, second_layer=0.6)
    teacher = tl.Teacher("erf", hidden_units=2, second_layer=[1.0, 0.5], noise=0.1)
    other = tl.teacher_student_curve(tl.isotropic_inputs(dimension=1000), student, schedule(), teacher, start=start(3))
    np.testing.assert_array_equal(one.pmse, other.pmse)
    assert one.attrs["params"] == other.attrs["params"]
    assert to_json(teacher) in one.attrs["params"]
    assert one.Q.attrs == {"long_name": "covariance of the student's pre-activations", "units": "1"}
    assert one.time.attrs["units"] == "steps / N"
    tl.write(one, tmp_path / "curve.nc")
    np.testing.assert_array_equal(tl.read(tmp_path / "curve.nc").pmse, one.pmse)


def test_large_weights_are_kept_in_the_parameters(tmp_path):
    rng = np.random.default_rng(0)
    found = curve(start={"W": rng.standard_normal((3, 1000)), "B": rng.standard_normal((2, 1000))})
    tl.write(found, tmp_path / "curve.nc")
    assert tl.read(tmp_path / "curve.nc").attrs["params"] == found.attrs["params"]
