"""Custom samples: formats of files, refused files, moments, surrogates, and SGD on the samples."""

import importlib
import math
import shutil
import sys
from dataclasses import replace

import h5py
import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.special import erf

import twolayer as tl
from twolayer.errors import ConfigError, DataError
from twolayer.experiments.data.labels import two_valued
from twolayer.model.mixtures.labelled_data import LabelledData
from twolayer.model.networks.learning import Learning
from twolayer.model.networks.two_layer_networks import Network
from twolayer.results.feature_covariances import dataset_labelled_data
from twolayer.simulation.convex.surrogate_data import resampled, surrogate
from twolayer.simulation.mixtures.data_set_sgd import data_set_sgd

PROBLEM = {"sample_ratios": [1, 2], "ridges": [0.1], "losses": ["square", "logistic"], "labels": "classes"}


def arrays(n=300, d=6, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    return rng.standard_normal((n, d)) + 0.7 * labels[:, None], labels


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, features, labels):
    """A file of that format, and the parameters that read it."""
    if name.endswith(".npz"):
        np.savez(name, features=features, labels=labels)
    elif name == "pair.npy":
        np.save(name, features)
        np.save("theirs.npy", labels)
        return {"file": name, "labels": "theirs.npy"}
    elif name.endswith(".npy"):
        np.save(name, np.column_stack([features, labels]))
    elif name.endswith(".csv"):
        table = pd.DataFrame(features).add_prefix("x")
        table.insert(2, "sort", np.where(labels > 0, "yes", "no"))
        table.to_csv(name, index=False)
        return {"file": name, "labels": "sort"}
    else:
        with h5py.File(name, "w") as file:
            file["spectra"], file["kind"] = features, labels
        return {"file": name, "features": "spectra", "labels": "kind"}
    return {"file": name}


@pytest.mark.parametrize("name", ["a.npz", "a.npy", "pair.npy", "a.csv", "a.h5", "a.nc"])
def test_all_formats_tell_the_same(here, name):
    features, labels = arrays()
    found = tl.data_samples(**write(name, features, labels))
    signs = np.where(labels > 0, 1.0, -1.0)
    np.testing.assert_allclose(found.field, signs - signs.mean(), atol=1e-12)
    scale = math.sqrt(features.var(axis=0).mean())
    np.testing.assert_allclose(found.features, (features - features.mean(axis=0)) / scale, atol=1e-5)
    np.testing.assert_allclose(found.Omega, np.cov(features.T, bias=True) / scale**2, atol=1e-5)


def test_a_folder_of_images(here):
    rng = np.random.default_rng(0)
    for name, light in (("dark", 60), ("bright", 160)):
        (here / "pictures" / name).mkdir(parents=True)
        for number in range(20):
            pixels = np.clip(light + 40 * rng.standard_normal((8, 8)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(here / "pictures" / name / f"{number}.png")
    found = tl.data_samples(file="pictures", size=4, map={"random_features": 5}, positive=["bright"])
    assert found.features.shape == (40, 5)
    assert found.field.values[-1] < 0 < found.field.values[0]  # folders come in the order of their names


def refused(message, features=None, labels=None, **options):
    given = arrays()
    features, labels = (one if other is None else other for one, other in zip(given, (features, labels), strict=True))
    np.savez("a.npz", features=features, labels=labels)
    with pytest.raises((DataError, ConfigError), match=message) as caught:
        tl.data_samples(**{"file": "a.npz", **options})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number(here, bad):
    features = arrays()[0]
    features[17, 3] = bad
    refused(r"a.npz has (nan|inf) in feature 3 of sample 17, .*: replace it, or remove the sample", features)


def test_constant_columns(here):
    features = arrays()[0]
    features[:, [1, 4]] = 2.0
    refused(r"2 features of a.npz are constant \(number 1, 4, counted from 0\): set drop_constant to true", features)
    assert int(tl.data_samples(file="a.npz", drop_constant=True).dropped) == 2


@pytest.mark.parametrize("positive", ["1", "1.0", "+1"])
def test_positive_labels_are_numbers_where_labels_are(here, positive):
    three = np.arange(300) % 3
    np.savez("a.npz", features=arrays()[0], labels=three)
    signs = tl.data_samples(file="a.npz", positive=[positive]).field.values > 0
    np.testing.assert_array_equal(signs, three == 1)


def test_codes_that_begin_with_zero_are_texts(here):
    codes = np.array(["01", "1", "001"])[np.arange(300) % 3]
    np.savez("a.npz", features=arrays()[0], labels=codes)
    signs = tl.data_samples(file="a.npz", positive=["01"]).field.values > 0
    np.testing.assert_array_equal(signs, codes == "01")
    refused("set threshold to the number|take 3 values", labels=codes)
    np.savez("a.npz", features=arrays()[0], labels=np.char.zfill((np.arange(300) % 9).astype(str), 3))
    signs = tl.data_samples(file="a.npz", threshold=4.5).field.values > 0
    np.testing.assert_array_equal(signs, np.arange(300) % 9 > 4)


def test_labels(here):
    refused(r"all labels of a.npz are '1': give samples of two classes", labels=np.ones(300))
    three = np.arange(300) % 3
    refused(r"labels of a.npz take 3 values \(0, 1, 2\): list the values that count as 1 in positive", labels=three)
    refused(r"positive lists '7', which is not a label of a.npz: choose among 0, 1, 2", labels=three, positive=["7"])
    refused(r"positive lists all labels of a.npz", labels=three, positive=["0", "1", "2"])
    refused(r"a.npz has the label nan: give every sample a finite label", labels=np.where(three == 0, np.nan, 1.0))
    refused(r"features of shape \(300, 6\) and labels of shape \(299,\)", labels=np.ones(299))


def test_labels_that_look_different(here):
    """The larger of two labels would count as 1, and a missing label as a class."""
    odd = np.arange(300) % 2 == 1
    refused("has the labels 'Yes' and 'yes', which differ only in case or spaces", labels=np.where(odd, "Yes", "yes "))
    refused(
        "has the labels .* which differ only in case or spaces", labels=np.where(odd, "a  b", "a b"), positive=["a b"]
    )
    refused(r"has the labels 0.3 and 0.30000000000000004, which differ only", labels=np.where(odd, 0.1 + 0.2, 0.3))
    some = np.where(np.arange(300) == 7, "NA", odd.astype(int).astype(str))
    refused(r"has the label 'NA' for sample 7 .counted from 0. and numbers for others", labels=some, positive=["1"])
    np.savez("a.npz", features=arrays()[0], labels=np.where(odd, str(2**60 + 1), str(2**60)))
    np.testing.assert_array_equal(tl.data_samples(file="a.npz").field > 0, odd)


@pytest.mark.parametrize("map", [{}, {"random_features": 5}, {"module": "doublemap:double"}])
def test_an_offset_costs_no_digits(here, map):
    (here / "doublemap.py").write_text("import torch\n\n\ndef double():\n    return torch.nn.Linear(6, 6).double()\n")
    features, labels = arrays()
    found = []
    for name, offset in (("a.npz", 0), ("b.npz", 1e7)):
        np.savez(name, features=features + offset, labels=labels)
        if "module" in map:
            import torch

            torch.manual_seed(0)
        found.append(tl.data_samples(file=name, map=map))
    np.testing.assert_allclose(found[1].Omega, found[0].Omega, atol=3e-6)
    np.testing.assert_allclose(found[1].features, found[0].features, atol=2e-5)


def test_a_module_in_single_precision_refuses_an_offset_that_it_cannot_see(here):
    (here / "singlemap.py").write_text("import torch\n\n\ndef single():\n    return torch.nn.Linear(6, 6)\n")
    message = r"feature \d .counted from 0. varies too little around its mean for the single precision"
    refused(message, arrays()[0] + 1e7, map={"module": "singlemap:single"})


def test_random_features_that_are_not_finite(here):
    """Of one sample only: the activation is tried on moderate numbers before."""
    features, labels = arrays()
    features[3] = 1e6
    options = {"random_features": 20, "activation": lambda x: np.where(np.abs(x) < 8, x, np.inf)}
    message = "map gives features of .* that are not finite numbers: correct the map"
    refused(message, features, labels, map=options)


@pytest.mark.parametrize("random_features", [None, 5])
def test_the_order_of_the_samples_does_not_matter(here, random_features):
    """Sorted files have blocks of one class, longer than a block of the reader."""
    features, labels = arrays(n=9000)
    features[:, 0] += 3 * labels
    order = np.argsort(labels, kind="stable")
    found = []
    for name, rows in (("a.npz", slice(None)), ("b.npz", order)):
        np.savez(name, features=features[rows], labels=labels[rows])
        found.append(tl.data_samples(file=name, map={"random_features": random_features}))
    np.testing.assert_allclose(found[1].Omega, found[0].Omega, atol=1e-6)
    np.testing.assert_allclose(found[1].Phi, found[0].Phi, atol=1e-6)


class TestStandardize:
    def made(self, scales, **options):
        features, labels = arrays(n=600)
        np.savez("a.npz", features=features * scales, labels=labels)
        return tl.data_samples(file="a.npz", **options)

    @pytest.mark.parametrize("map", [{}, {"random_features": 4}])
    def test_units_do_not_matter(self, here, map):
        plain, other = (self.made(scales, standardize=True, map=map) for scales in (1, [1e-3, 1, 7, 50, 1e3, 1e6]))
        np.testing.assert_allclose(other.Omega, plain.Omega, atol=1e-6)
        np.testing.assert_allclose(other.features, plain.features, atol=1e-5)
        if not map:
            np.testing.assert_allclose(np.diag(plain.Omega), 1, atol=1e-6)
            np.testing.assert_allclose(plain.features.var("sample"), 1, atol=1e-5)
        assert plain.attrs["distribution"].endswith("standardized")

    @pytest.mark.parametrize("map", [{}, {"random_features": 4}])
    def test_by_default_where_one_direction_dominates(self, here, caplog, map):
        assert "standardized" not in self.made(1, map=map).attrs["distribution"]
        assert not caplog.records
        scales = [1, 1, 1, 1, 1, 30]
        found = self.made(scales, map=map)
        assert "a.npz: one direction has 99 % of the variance" in caplog.text
        assert "Set standardize to false to keep their units." in caplog.text
        np.testing.assert_array_equal(found.Omega, self.made(scales, standardize=True, map=map).Omega)
        kept = self.made(scales, standardize=False, map=map)
        assert "standardized" not in kept.attrs["distribution"]
        assert not np.allclose(kept.Omega, found.Omega)

    def test_correlated_features_dominate_together(self, here, caplog):
        features, labels = arrays(n=600)
        features[:, 1:] += 30 * features[:, :1]
        np.savez("a.npz", features=features, labels=labels)
        assert tl.data_samples(file="a.npz").attrs["distribution"].endswith("standardized")

    def test_constants_stay_out(self, here):
        features, labels = arrays()
        features[:, 2] = 0.1
        np.savez("a.npz", features=features, labels=labels)
        options = {"standardize": True, "map": {"random_features": 4}}
        found = tl.data_samples(file="a.npz", **options)
        np.savez("a.npz", features=np.delete(features, 2, axis=1), labels=labels)
        assert float(np.trace(found.Omega)) == pytest.approx(4, rel=1e-3)
        assert np.isfinite(found.Omega).all()


def test_a_constant_up_to_rounding_is_a_constant(here):
    features = arrays()[0]
    features[:, 1] = 0.1 + 1e-17 * RNG_SIGNS
    features[:, 4] = 1e7 * (1 + 2e-16 * RNG_SIGNS)
    refused(r"2 features of a.npz are constant", features)


RNG_SIGNS = np.sign(np.random.default_rng(0).standard_normal(300))


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (1e31, "give numbers below 1e.30"),
        (1e-33, "feature 0 of a.npz .* varies by less than"),
    ],
)
def test_numbers_that_single_precision_does_not_hold(here, size, message):
    refused(message, arrays()[0] * size)


def test_a_feature_that_single_precision_does_not_hold_is_not_taken_for_a_constant(here):
    features = arrays()[0] * [1, 1, 1, 1, 1, 1e-50]
    refused("feature 5 of a.npz .* varies by less than 1e-30", features, drop_constant=True)


def test_features_of_very_different_sizes(here):
    features = arrays()[0]
    refused(
        "feature 2 of a.npz .* varies by less than 1e-25 of what feature 4 does", features * [1, 1, 1e-15, 1, 1e15, 1]
    )
    np.savez("a.npz", features=features * [1e-10, 1, 1, 1, 1e13, 1], labels=arrays()[1])
    found = tl.data_samples(file="a.npz", standardize=True).features
    np.testing.assert_allclose(found, (features - features.mean(axis=0)) / features.std(axis=0), atol=1e-5)


NUMBERS = np.arange(300)


@pytest.mark.parametrize(
    "column",
    [
        NUMBERS,
        17 + NUMBERS,
        -NUMBERS,
        0.1 * NUMBERS,
        np.random.default_rng(1).permutation(300),
        np.argsort(arrays()[1]),
    ],
    ids=["from 0", "from 17", "backwards", "times", "shuffled", "index of a sorted table"],
)
def test_a_column_that_numbers_the_samples(here, column):
    refused(r"feature 6 of a.npz .* numbers the samples: leave it out", np.column_stack([arrays()[0], column]))


def test_a_uniform_feature_is_no_number_of_the_samples(here):
    rng = np.random.default_rng(0)
    columns = [rng.uniform(size=300), rng.integers(300, size=300), np.sort(rng.uniform(size=300)), NUMBERS // 2]
    np.savez("a.npz", features=np.column_stack([arrays()[0], *columns]), labels=arrays()[1])
    assert tl.data_samples(file="a.npz").sizes["feature"] == 10


def test_few_samples(here):
    refused("a.npz has 19 samples: give at least 20", *arrays(n=19))
    labels = np.zeros(300)
    labels[:4] = 1
    refused("4 samples of a.npz have the label 1: give at least 5 of each label", labels=labels)


def test_a_threshold_makes_two_classes(here):
    measured = np.random.default_rng(2).uniform(0, 10, 300)
    refused(r"take 300 values .*: set threshold to the number above which values count as 1", labels=measured)
    found = tl.data_samples(file="a.npz", threshold=4.0)
    np.testing.assert_array_equal(found.field > 0, measured > 4)
    refused(
        "threshold is 11, but the labels of a.npz range from .*: set it between them", labels=measured, threshold=11.0
    )
    refused("threshold is 1, but the labels of a.npz are texts", labels=np.array(["u", "v"] * 150), threshold=1.0)
    refused("positive and threshold both select", labels=measured, threshold=4.0, positive=["1"])


@pytest.mark.parametrize("labels", [[1234567, 1234568], [0.1, 0.1000001], [-1.0, 1.0], ["9", "10"], ["1.0", "2.50"]])
def test_labels_that_look_alike_stay_apart(here, labels):
    """The larger of two numbers counts as 1, also where they are texts."""
    numbers = np.array(labels)[arrays()[1]]
    np.savez("a.npz", features=arrays()[0], labels=numbers)
    signs = tl.data_samples(file="a.npz").field.values > 0
    np.testing.assert_array_equal(signs, numbers.astype(float) == max(map(float, labels)))


@pytest.mark.parametrize("labels", [("1_1", "11"), ("\u0661", "1"), ("0_1", "1_0")])
def test_texts_that_only_python_reads_as_numbers_stay_texts(labels):
    values = np.array(labels * 5)
    signs, classes = two_valued(values, [labels[0]], None, "a.csv")
    assert (signs == np.where(values == labels[0], 1, -1)).all()
    assert len(set(classes)) == 2
    with pytest.raises(DataError, match="positive lists '1_1', which is not a label"):
        two_valued(np.array(["11", "2"] * 5), ["1_1"], None, "a.csv")


@pytest.mark.parametrize("missing", ["", "nan", " ", "?"])
def test_a_text_that_is_no_label(here, missing):
    labels = np.array(["yes", missing])[arrays()[1]]
    refused(r"a.npz has no label for sample .* \(counted from 0\): give every sample a label", labels=labels)


class TestSizesThatFit:
    def small(self):
        np.savez("a.npz", features=arrays(n=60, d=8)[0], labels=arrays(n=60)[1])
        return {"file": "a.npz"}

    def test_random_features(self, here, caplog):
        made = tl.data_samples(**self.small(), map={"random_features": 100, "fit_to_data": True})
        assert made.sizes["feature"] == 6
        assert "60 samples: map makes 6 random features instead of 100" in caplog.text
        with pytest.raises(DataError, match="60 samples of 100 features"):
            tl.data_samples(**self.small(), map={"random_features": 100})

    def test_sample_ratios_and_test_samples(self, here, caplog):
        data = tl.data_samples(**self.small())
        problem = tl.ConvexProblem(losses=["logistic"], sample_ratios=[0.25, 4, 20], ridges=[0.1], labels="classes")
        runs = tl.data_learning(data, problem, seeds=2, fit_to_data=True)
        assert runs.sample_ratio.values.tolist() == [0.25, 4]
        assert np.isfinite(runs.test_loss).all()
        assert "too few for sample ratios above 4" in caplog.text
        with pytest.raises(ConfigError, match=r"sample_ratio 0.125 gives 1 training samples .* to at least 0.25"):
            tl.data_learning(data, replace(problem, sample_ratios=(0.125,)), seeds=2)
        with pytest.raises(ConfigError, match=r"needs 80 training samples and 15 test samples.* to at most 5.62"):
            tl.data_learning(data, replace(problem, sample_ratios=(10,)), seeds=2, fit_to_data=True)

    def test_times(self, here, caplog):
        data = tl.data_samples(**self.small())
        mixture, student = tl.data_mixture(data), tl.Student("erf", 2)
        schedule = tl.Schedule(learning_rate=0.5, first_time=0.5, last_time=100, measurements=12)
        runs = tl.data_sgd(data, mixture, student, schedule, seeds=2, fit_to_data=True)
        theory = tl.learning_curve(mixture, student, schedule, log2_nodes=6)
        assert 2 < float(runs.time[-1]) <= 45 / 8
        assert set(runs.time.values) < set(theory.time.values)
        with pytest.raises(ConfigError, match=r"each sample is used once: set last_time to at most 5.62"):
            tl.data_sgd(data, mixture, student, schedule, seeds=2, test_samples=15)
        with pytest.raises(ConfigError, match="lower test_samples, or give more samples"):
            tl.data_sgd(data, mixture, student, schedule, seeds=2, test_samples=58)


def test_a_training_set_of_one_label_is_learnt_from():
    """No loss changes where a sample and its label change their signs."""
    from twolayer.experiments.data.data_learning import of_both_labels

    features = np.random.default_rng(0).standard_normal((5, 3))
    flipped, labels = of_both_labels(features, np.ones(5))
    assert set(labels) == {-1, 1}
    np.testing.assert_array_equal(flipped * labels[:, None], features)


def test_more_features_than_theory_can_tell_from_noise(here):
    features, labels = arrays(n=300, d=200)
    message = r"300 samples of 200 features, whose covariances are mostly noise: give at least 400, or .* 150"
    refused(message, features, labels)


def test_files(here):
    refused(r"nowhere.npz is missing: give a file", file="nowhere.npz")
    (here / "a.xls").write_text("1 2")
    refused(r"a.xls has the unknown format '.xls': give one of .npy", file="a.xls")
    (here / "broken.npz").write_bytes(b"PK nothing")
    refused(r"broken.npz cannot be read \(.*: give an undamaged file", file="broken.npz")
    (here / "words.csv").write_text("x,name,y\n1,a,0\n2,b,1\n")
    refused(r"words.csv: column 'name' has .* instead of a number", file="words.csv")
    refused(r"give either dataset or file", dataset="digits")


def test_pickles_are_not_read(here):
    np.save("evil.npy", np.array([{"a": 1}, {"b": 2}], dtype=object), allow_pickle=True)
    refused(r"evil.npy has Python objects", file="evil.npy")


class TestModule:
    def write(self, here, body):
        (here / "ownmaps.py").write_text(f"import torch\n{body}\n")

    def test_features_of_a_module(self, here, monkeypatch):
        self.write(here, "def half():\n    return torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Tanh())")
        write("a.npz", *arrays())
        found = tl.data_samples(file="a.npz", map={"module": "ownmaps:half"})
        assert found.features.shape == (300, 4)

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("torch.nn.Linear(7, 3)", r"the module fails on 16 x 6 inputs \(.*\): correct it"),
            ("torch.nn.Linear", "the module fails on 16 x 6 inputs"),
            ("lambda x: 1 / 0", "the module fails on 16 x 6 inputs .division by zero.: correct it"),
            ("lambda x: x.add_(1)", "the module changes its inputs"),
            ("lambda x: x.to_sparse()", "give a dense tensor"),
            ("lambda x: x[:1]", "gives 1 x 6 numbers for 16 rows"),
        ],
    )
    def test_what_is_no_map(self, here, monkeypatch, body, message):
        monkeypatch.delitem(sys.modules, "ownmaps", raising=False)
        importlib.invalidate_caches()
        shutil.rmtree(here / "__pycache__", ignore_errors=True)
        self.write(here, f"def made():\n    return {body}")
        refused(message, map={"module": "ownmaps:made"})

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("ownmaps", "give the name of a function as package.module:function"),
            ("nothing_there:f", "cannot be created .ModuleNotFoundError"),
            ("math:pi", "cannot be created"),
        ],
    )
    def test_names_of_nothing(self, here, name, message):
        refused(message, map={"module": name})

    def test_naming_it_runs_nothing(self, here):
        from twolayer.experiments.data.parameters import FeatureMap

        self.write(here, "raise RuntimeError('it ran')")
        assert FeatureMap(module="ownmaps:half").module == "ownmaps:half"


@pytest.fixture(scope="module")
def gaussians():
    """A set of samples of two Gaussians of three classes, far more of them than features."""
    rng = np.random.default_rng(3)
    classes = rng.integers(3, size=40_000)
    means = np.array([[1.0, 0, 0, 0], [-0.5, 0.8, 0, 0], [-0.5, -0.8, 0, 0]])
    features = (means[classes] + rng.standard_normal((40_000, 4)) * [1, 0.5, 1, 2]).astype(np.float32)
    features -= features.mean(axis=0)
    labels = np.where(classes == 0, 1.0, -1.0)
    return LabelledData(features, labels, classes, features.T.astype(float) @ features / len(features))


@pytest.mark.parametrize("distribution", ["data", "classes", "labels", "one"])
def test_surrogates_have_the_moments(gaussians, distribution):
    labels, features = surrogate(gaussians, distribution)(np.random.default_rng(0), 40_000)
    np.testing.assert_allclose(features.T @ features / 40_000, gaussians.Omega, atol=0.07)
    np.testing.assert_allclose(labels @ features / 40_000, gaussians.correlation, atol=0.03)
    assert np.mean(labels > 0) == pytest.approx(gaussians.positive, abs=0.015)


def test_shuffled_labels_have_no_correlation(gaussians):
    labels, features = surrogate(gaussians, "shuffled")(np.random.default_rng(0), 40_000)
    assert np.abs(labels @ features / 40_000).max() < 0.03


@pytest.mark.parametrize("name", ["classes", "labels", "one"])
def test_mixtures_have_the_moments(gaussians, name):
    mixture, modes = gaussians.mixture(name)
    means = mixture.means @ modes.T
    total = (modes * mixture.eigenvalues) @ modes.T + (means.T * mixture.weights) @ means
    np.testing.assert_allclose(total, gaussians.Omega, atol=1e-5)
    np.testing.assert_allclose((mixture.weights * mixture.labels) @ means, gaussians.correlation, atol=2e-3)


def test_pure_noise_explains_nothing():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(20):
        features = rng.standard_normal((300, 60)).astype(np.float32)
        features -= features.mean(axis=0)
        labels = np.sign(rng.standard_normal(300))
        found.append(LabelledData(features, labels, labels, features.T.astype(float) @ features / 300).r_squared)
    assert abs(np.mean(found)) < 5 * np.std(found, ddof=1) / math.sqrt(20)


def test_few_samples_look_easier_than_they_are():
    """The R^2 of n new samples of d features is too large by (1 - R^2) d / n."""
    rng = np.random.default_rng(8)
    labels = np.repeat([1.0, -1.0], 200)
    features = (rng.standard_normal((400, 80)) + 0.1 * labels[:, None]).astype(np.float32)
    features -= features.mean(axis=0)
    few = LabelledData(features, labels, labels, features.T.astype(float) @ features / 400)

    def r_squared(data):
        return data.correlation @ np.linalg.solve(data.Omega, data.correlation)

    again = np.array([r_squared(resampled(few, stream)) for stream in rng.spawn(20)]) - r_squared(few)
    error = again.std(ddof=1) / math.sqrt(20)
    assert again.mean() == pytest.approx((1 - r_squared(few)) * 80 / 400, abs=5 * error)
    assert again.mean() > 10 * error


@pytest.mark.slow
def test_theory_of_gaussians_explains_gaussians():
    """A set that is Gaussian within its labels: the replica equations with its moments, on held-out samples."""
    rng = np.random.default_rng(5)
    labels = np.where(rng.random(6000) < 0.4, 1, -1)
    features = rng.standard_normal((6000, 60)) * np.linspace(0.5, 1.5, 60) + 0.15 * labels[:, None]
    data = tl.feature_covariances(features, labels)
    problem = tl.ConvexProblem(**PROBLEM)
    theory, runs = tl.replica(data, problem), tl.data_learning(data, problem, seeds=20, distributions=["data"])
    gap = runs.test_loss.isel(distribution=0) / theory.test_loss - 1
    scores = gap.mean("seed") / gap.std("seed", ddof=1) * math.sqrt(20)
    assert float(abs(scores).max()) < 5
    assert float(abs(gap.mean("seed")).max()) < 0.03


@pytest.mark.slow
def test_sgd_follows_the_equations_where_the_set_is_gaussian():
    rng = np.random.default_rng(6)
    labels = np.where(rng.random(12_000) < 0.5, 1, -1)
    features = rng.standard_normal((12_000, 200)) * np.linspace(0.5, 1.5, 200) + 0.1 * labels[:, None]
    with pytest.warns(tl.SmallSample):
        data = tl.feature_covariances(features, labels)
    mixture = tl.data_mixture(data)
    student = tl.Student("erf", hidden_units=3, seed=2)
    schedule = tl.Schedule(learning_rate=0.5, first_time=1, last_time=20, measurements=6)
    theory = tl.learning_curve(mixture, student, schedule, log2_nodes=10)
    runs = tl.data_sgd(data, mixture, student, schedule, seeds=20, test_samples=4000)
    gap = (runs.pmse / theory.pmse - 1).isel(time=slice(1, None)).mean("time")
    assert abs(float(gap.mean())) < 5 * float(gap.std(ddof=1)) / math.sqrt(20)
    assert float(gap.std(ddof=1)) / math.sqrt(20) < 0.01
    assert float(runs.kurtosis.mean()) < 2 * float(runs.null_kurtosis.mean()) + 0.02


@pytest.mark.slow
def test_sgd_starts_where_the_equations_do():
    """The second layer consists of ones. A random second layer has a pmse that is 1.8 times smaller."""
    rng = np.random.default_rng(7)
    data = tl.feature_covariances(rng.standard_normal((9000, 20)), np.where(rng.random(9000) < 0.5, 1, -1))
    mixture, schedule = tl.data_mixture(data), tl.Schedule(learning_rate=0.5, first_time=1, last_time=2)
    student = tl.Student("erf", hidden_units=3, seed=2, second_layer="unit")
    runs = tl.data_sgd(data, mixture, student, schedule, seeds=2, test_samples=8000)
    theory = tl.learning_curve(mixture, student, schedule, log2_nodes=10)
    assert float(runs.pmse.isel(time=0).mean()) == pytest.approx(float(theory.pmse[0]), rel=0.03)
    with pytest.raises(ConfigError, match="bias is true: biases are defined only for isotropic mixtures"):
        tl.data_sgd(data, mixture, tl.Student("erf", 3, bias=True), schedule)


def test_steps_are_those_of_the_rule():
    rng = np.random.default_rng(0)
    inputs, labels = rng.standard_normal((5, 6)), np.array([1.0, -1, 1, 1, -1])
    W, v, rate, decay = rng.standard_normal((2, 6)), rng.standard_normal(2), 0.4, 0.1
    start = Network(W.copy(), v.copy(), "erf")
    path = data_set_sgd((inputs, labels), (inputs, labels), start, Learning(rate, decay), times=np.array([0, 5 / 6]))
    for x, y in zip(inputs, labels, strict=True):
        fields = W @ x / math.sqrt(6)
        error = y - v @ erf(fields / math.sqrt(2))
        slope = math.sqrt(2 / math.pi) * np.exp(-(fields**2) / 2)
        step = rate / math.sqrt(6) * error * (v * slope)[:, None] * x
        v = (1 - rate * decay / 6) * v + rate / 6 * error * erf(fields / math.sqrt(2))
        W = (1 - rate * decay / 6) * W + step
    np.testing.assert_allclose(path.end.W, W, rtol=1e-10)
    np.testing.assert_allclose(path.end.v, v, rtol=1e-10)
    outputs = erf(inputs @ W.T / math.sqrt(12)) @ v
    assert path.pmse[-1] == pytest.approx(np.mean((labels - outputs) ** 2) / 2)
    assert path.class_error[-1] == np.mean(outputs * labels < 0)


def test_samples_come_once():
    digits = tl.data_samples(dataset="digits", drop_constant=True)
    mixture = tl.data_mixture(digits)
    schedule = tl.Schedule(learning_rate=0.5, last_time=100)
    with pytest.raises(ConfigError, match="but the set has 1797, and each sample is used once: set last_time"):
        tl.data_sgd(digits, mixture, tl.Student("erf", 2), schedule)
    problem = tl.ConvexProblem(**{**PROBLEM, "sample_ratios": [40]})
    with pytest.raises(ConfigError, match="are needed for training and test, but the set has 1797: lower"):
        tl.data_learning(digits, problem, seeds=2)


def test_classes_of_the_digits():
    digits = dataset_labelled_data(tl.data_samples(dataset="digits", drop_constant=True))
    group, labels, weights = digits.groups("classes")
    assert len(weights) == 10
    np.testing.assert_array_equal(labels, [1, -1] * 5)
    np.testing.assert_array_equal(labels[group], digits.labels)


def test_other_labels_are_refused():
    rng = np.random.default_rng(0)
    data = tl.feature_covariances(rng.standard_normal((4000, 5)), rng.standard_normal(4000))
    with pytest.raises(ConfigError, match="the labels take 4000 values: learning of classes needs two"):
        tl.replica(data, tl.ConvexProblem(**PROBLEM))
    with pytest.raises(ConfigError, match="which only samples of a set have: call data_learning"):
        tl.convex_learning(data, tl.ConvexProblem(**PROBLEM))


def test_a_zero_output_is_half_an_error():
    """Where no relu unit is on, the label is a guess."""
    inputs, labels = np.array([[1.0, 0], [-1, 0], [-2, 0], [2, 0]]), np.array([1.0, 1, -1, -1])
    start = Network(np.array([[1.0, 0]]), np.ones(1), "relu")
    path = data_set_sgd((inputs, labels), (inputs, labels), start, Learning(0.1), times=np.array([0.0]))
    assert path.class_error[0] == (0 + 0.5 + 0.5 + 1) / 4
