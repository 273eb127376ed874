"""Error messages that no other test provokes: one table for each package."""

import gzip
import json
import os
import struct
from io import BytesIO
from types import SimpleNamespace
from zlib import crc32

import h5py
import numpy as np
import pytest
import scipy.sparse
import xarray as xr
from PIL import Image
from refusals import assert_refused, table
from small_project import ROOT

import twolayer as tl
from twolayer import io
from twolayer.errors import ConfigError, DataError, NotConverged, ResultError
from twolayer.experiments.data.parameters import DataLearning, FeatureMap
from twolayer.experiments.mixtures.initial_network import first_network
from twolayer.experiments.mixtures.parameters import Schedule
from twolayer.experiments.one_step.parameters import Axes, SpikedData, check_axes
from twolayer.experiments.replica.finite_sets import check_field
from twolayer.experiments.samples import check_samples
from twolayer.figures.evidence import Evidence, Source
from twolayer.model.data import images
from twolayer.model.data.foreign_files import hdf5_array, open_picture
from twolayer.model.mixtures.clusters import Clusters
from twolayer.model.mixtures.standard_mixtures import circle, from_means, xor
from twolayer.model.teachers.feature_covariances import CovariateModel
from twolayer.model.teachers.teacher_distributions import CircleTeacher
from twolayer.model.teachers.teacher_student import GaussianInputs
from twolayer.parameters import read_array
from twolayer.pipeline import cli, configuration
from twolayer.pipeline.catalogue import Catalogue
from twolayer.pipeline.compare import compare
from twolayer.pipeline.jobs import cluster, recovery
from twolayer.pipeline.report import comparison
from twolayer.pipeline.report.checks import check_results
from twolayer.results.conditional_generator import CONDITIONAL_GENERATOR, generator_from_dataset
from twolayer.results.generator import latent_generator
from twolayer.results.layout import Layout
from twolayer.results.types import kind_of
from twolayer.simulation.mean_field.torus_features import TorusFeatures
from twolayer.simulation.mixtures.order_parameter_sgd import coordinates
from twolayer.simulation.teacher_student.equivalence_distance import decay_exponent
from twolayer.storage import hdf5, netcdf
from twolayer.storage.checksums import json_with_checksum
from twolayer.storage.heaps import Heaps
from twolayer.theory.mean_field import ultrafast_diffusion
from twolayer.theory.mean_field.mean_field_flow import MeanFieldFlow
from twolayer.theory.mean_field.ultrafast_diffusion import Diffusion, slowest_mode
from twolayer.theory.mixtures.random_features import optimal_readout
from twolayer.theory.replica.convex_theory import ConvexTheory
from twolayer.theory.replica.replica_equations import Spectrum, covariate_spectrum
from twolayer.theory.replica.two_classes import class_distribution


@table(
    (lambda: Schedule(*range(1, 8)), ConfigError, "7 values are given: Schedule takes learning_rate, last_time"),
    (lambda: Schedule(rate=1), ConfigError, "unknown key 'rate': allowed are learning_rate, last_time"),
    (
        lambda: tl.Student("erf", 2, scale=1e300),
        ConfigError,
        "scale is 1e+300: it must be 0, or from 1e-30 to 1e+30 in",
    ),
    (lambda: tl.Student("erf", 2, scale=np.inf), ConfigError, "scale is inf: it must be a finite number"),
    (
        lambda: read_array([[1e31, 0.0]], "x"),
        ConfigError,
        "x has 1e+31: its numbers must be at most 1e+30 in size, scale them",
    ),
    (lambda: read_array(np.ma.masked_equal([1, 2], 2), "x"), ConfigError, "x has masked values: fill or remove them"),
    (lambda: read_array(scipy.sparse.eye_array(2), "x"), ConfigError, "x is a sparse matrix: give its toarray()"),
)
def test_parameters(provoke, error, message):
    assert_refused(provoke, error, message)


def fit(**arrays):
    return tl.variable_projection(inputs=np.ones((4, 2)), targets=np.ones(4), width=3, **arrays)


def of_csv(folder, text, **options):
    path = folder / "data.csv"
    path.write_text(text)
    return tl.data_samples(file=str(path), **options)


def of_array(folder, values):
    np.save(folder / "data.npy", values)
    return tl.data_samples(file=str(folder / "data.npy"))


def learn(inputs, student=None, **options):
    schedule = tl.Schedule(learning_rate=0.1, last_time=1.0, measurements=2)
    networks = student or tl.Student("erf", 2), schedule, tl.Teacher("erf", 2)
    return tl.teacher_student_sgd(inputs, *networks, **options)


def phase_row(student, mixture=None, **options):
    schedule = tl.Schedule(learning_rate=0.1, last_time=1.0, **options)
    return tl.phase_row(mixture or tl.Mixture(sigma=0.3), student, schedule, along="sigma", values=[0.5])


TWO_VALUES = np.random.default_rng(0).standard_normal((4000, 2)), np.tile([1.0, -1.0], 2000)
LINEAR = tl.ConvexProblem([2.0], [0.1], ["square"], labels="linear", noise=0.5)
THREE = SpikedData(input_dimension=20, samples=10, ranks=(1, 1, 1), alignments=(0.0, 0.0), ratios=(0.25, 0.25, 0.5))
SAME = "a,b,label\n" + "1,2,0\n1,2,1\n" * 20
SAMPLES = np.ones((4, 2))


@table(
    (lambda _: check_axes(Axes(ratio=(0.5,)), THREE), ConfigError, "axes.ratio is given for 3 components: use two"),
    (
        lambda _: tl.Start(W=np.eye(2), overlap=0.5),
        ConfigError,
        "start has both W and overlap: give one of them",
    ),
    (
        lambda _: learn(tl.Inputs(dimension=20), tl.Student("erf", 2, bias=True)),
        ConfigError,
        "bias of the student is defined only for mixtures: leave it out",
    ),
    (
        lambda _: learn(tl.Inputs(dimension=20), tl.Student("erf", 2, dimension=30)),
        ConfigError,
        "the student has dimension 30, but inputs have 20: leave it out",
    ),
    (
        lambda folder: tl.named_generator(
            latent_size=5, architecture="convolutional", weights=str(folder / "none.safetensors")
        ),
        DataError,
        "none.safetensors is missing: name a safetensors file",
    ),
    (
        lambda _: tl.SpikedData(20, 10, ranks=(1, 1), alignments=(0.0,), ratios=(0.5, 0.4)),
        ConfigError,
        "ratios add up to 0.9: make the sum 1",
    ),
    (lambda _: Axes(ratio=(0.5, 0.5)), ConfigError, "ratio has 0.5 twice: give each value once"),
    (
        lambda _: DataLearning(tl.ConvexProblem([1.0], [0.1])),
        ConfigError,
        "set labels of the problem to 'classes'",
    ),
    (
        lambda _: check_samples(np.ones(3), np.ones(3), ("inputs", "targets")),
        ConfigError,
        "inputs has shape (3,): give one row for each sample, (n, d)",
    ),
    (
        lambda _: check_samples(np.ones((1, 2)), np.ones(1), ("inputs", "targets")),
        ConfigError,
        "inputs has a single sample: give at least 2",
    ),
    (
        lambda folder: of_csv(folder, ",label\n" + "0,1\n1,-1\n" * 20),
        DataError,
        "data.csv has no column of features, only labels: give at least two columns (found 2)",
    ),
    (
        lambda folder: of_array(folder, np.ones(40)),
        DataError,
        "data.npy has shape (40,): give a row for each sample, with its label in the last column",
    ),
    (
        lambda _: check_samples(SAMPLES, np.ones(3), ("inputs", "targets")),
        ConfigError,
        "targets has shape (3,), but inputs has 4 rows: give one value for each row",
    ),
    (
        lambda _: fit(test_inputs=SAMPLES),
        ConfigError,
        "test_inputs and test_targets belong together: give both or none",
    ),
    (
        lambda _: fit(test_inputs=np.ones((4, 3)), test_targets=np.ones(4)),
        ConfigError,
        "test_inputs has shape (4, 3), but the others have (4, 2): make the shapes equal",
    ),
    (lambda folder: of_csv(folder, SAME, drop_constant=True), DataError, "are constant: give features that vary"),
    (
        lambda folder: of_csv(folder, SAME.replace("b", "a", 1)),
        DataError,
        "data.csv has two columns 'a': give each column its own name",
    ),
    (
        lambda _: FeatureMap(random_features=3, module="a:b"),
        ConfigError,
        "map has random_features and a module: choose one of them",
    ),
    (
        lambda _: first_network(tl.Student("relu", 4, start="xor"), 1, np.random.default_rng(0), xor(1.0)),
        ConfigError,
        "dimension is 1, but 4 units outside the means need 6: raise it",
    ),
    (
        lambda _: learn(tl.Inputs(Omega=np.eye(4), Phi=np.ones((4, 3)) / 4), start=tl.Start(overlap=0.5)),
        ConfigError,
        "overlap is given, but the teacher has weights on 3 latents, and the student on 4 inputs: give W and B",
    ),
    (
        lambda _: tl.ConvexProblem([1.0], [0.1], labels="classes", penalty="l1"),
        ConfigError,
        "penalty is 'l1', but labels are 'classes', whose features are correlated: set it to 'l2'",
    ),
    (lambda _: phase_row(tl.Student("relu", 4)), ConfigError, "the student has no dimension: give it a dimension"),
    (
        lambda _: phase_row(tl.Student("relu", 4, dimension=20, bias=True), train_second_layer=False),
        ConfigError,
        "bias is true: the theory of the plateau is without biases: set it to false, or train_second_layer to true",
    ),
    (
        lambda _: tl.one_step_theory(
            tl.SpikedData(20, 30, ranks=[0], ratios=[1], teacher_directions=2),
            tl.Axes(width=[1.0]),
            seeds=1,
            seed=0,
            hermite=True,
        ),
        ConfigError,
        "hermite is true, but the teacher has several directions: set it to false",
    ),
    (
        lambda _: check_field(tl.FeatureCovariances.from_samples(*TWO_VALUES).dataset(), LINEAR),
        ConfigError,
        "whose labels are not Gaussian: set losses to [square] and noise to 0",
    ),
)
def test_experiments(provoke, error, message, tmp_path):
    assert_refused(provoke, error, message, tmp_path)


TWO, SIDE = (2).to_bytes(4, "big"), (28).to_bytes(4, "big")
HEADER = b"\0\0\x08\x03" + TWO + 2 * SIDE


def digits(folder, pixels=HEADER, items=2, labels=2, last_label=0):
    """Read the training images of MNIST from files with this header of the images, and these numbers of items."""
    (folder / "mnist").mkdir()
    files = dict(zip(("images", "labels"), images.image_files("mnist", "train"), strict=True))
    label_header = b"\0\0\x08\x01" + labels.to_bytes(4, "big")
    contents = {"images": pixels + bytes(items * 784), "labels": label_header + bytes(labels - 1) + bytes([last_label])}
    for kind, name in files.items():
        (folder / "mnist" / name).write_bytes(gzip.compress(contents[kind]))
    return images.load(folder, "mnist", "train")


def a_folder(path):
    path.mkdir(parents=True)
    return path


def unreadable(folder):
    for name in images.image_files("mnist", "train"):
        a_folder(folder / "mnist" / name)
    return images.load(folder, "mnist", "train")


def png(width, height):
    """The beginning of a grey picture of this size, and nothing of its pixels."""
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", b""), (b"IEND", b""))
    bodies = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc32(kind + body)) for kind, body in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(bodies)


def a_subset_of(folder, size):
    """Read a subset of images whose picture has another size."""
    path = folder / "cifar-10-subset" / "test.webp"
    path.parent.mkdir()
    Image.new("RGB", size).save(path)
    return images.load(folder, "cifar-10-subset", "test")


SKEWED = np.array([[1.0, 0.5], [0.0, 1.0]])
NARROW = b"\0\0\x08\x03" + TWO + SIDE + (27).to_bytes(4, "big")


@table(
    (lambda folder: open_picture(folder / "a.png", b"no picture"), ValueError, "its content is none of "),
    (lambda folder: digits(folder, labels=3), DataError, " has 3 labels for the 2 images of "),
    (lambda folder: digits(folder, pixels=b"GIF89a"), DataError, " begins with the bytes '47 49 46 38', but an IDX"),
    (
        lambda folder: digits(folder, pixels=NARROW),
        DataError,
        " has items of shape (28, 27) (expected (28, 28))",
    ),
    (
        lambda folder: open_picture(folder / "a.png", png(10_000, 9000)),
        ValueError,
        "it has 10000 x 9000 pixels, more than 80",
    ),
    (
        lambda folder: open_picture(folder / "a.png", png(100_000, 90_000)),
        ValueError,
        "(9000000000 pixels) exceeds limit",
    ),
    (
        lambda folder: a_subset_of(folder, (32, 64)),
        DataError,
        "test.webp has 32 x 64 pixels (expected 10 rows of images of 32 x 32 pixels): restore it from the repository",
    ),
    (
        lambda folder: hdf5_array(
            h5py.File(stored(lambda file: file.create_group("group"))), "group", folder / "a.h5", 1, Heaps(heap_of("a"))
        ),
        ValueError,
        "'group' is a group instead of an array",
    ),
    (
        lambda _: GaussianInputs(2, covariance=SKEWED).root,
        ConfigError,
        "covariance is not symmetric: make it equal to its transpose",
    ),
    (lambda folder: digits(folder, items=1), DataError, " unpacks to 800 bytes, but its header requires 1584"),
    (
        lambda folder: digits(folder, last_label=10),
        DataError,
        " has the label 10, outside 0..9: ",
    ),
    (
        lambda folder: unreadable(folder),
        DataError,
        " cannot be read (Is a directory): check the data root",
    ),
    (lambda _: circle(3, 0.1, regime="odd"), ConfigError, "regime is 'odd': use one of low, high, mixed"),
    (
        lambda _: CovariateModel(np.diag([1.0, -1]), np.eye(2), np.eye(2), np.ones(2)),
        ConfigError,
        "Psi or Omega has a negative variance on its diagonal: give covariances",
    ),
    (
        lambda _: Clusters(np.eye(2), np.ones((2, 2)), np.array([1.0, -1]), np.full(2, 0.5), True, 5).spread_over(6),
        ConfigError,
        "dimension is 6, but the mixture has dimension 5: leave it out",
    ),
    (
        lambda folder: tl.data_samples(file=str(a_folder(folder / "pictures" / "cats").parent)),
        DataError,
        "the folder 'cats' in ",
    ),
    (
        lambda folder: tl.data_samples(file=str(a_folder(folder / "pictures"))),
        DataError,
        " has no folders: give it a folder for each class, with images of that class",
    ),
)
def test_model(provoke, error, message, tmp_path):
    assert_refused(provoke, error, message, tmp_path)


MIXTURE = tl.Mixture(means=[[1.0, 0], [-1, 0]], labels=[1, -1], weights=[0.5, 0.5], sigma=1)
CLUSTERS = {"means": [[1.0, 0], [-1, 0]], "labels": [1, -1], "weights": [0.5, 0.5]}
PROBLEM = {"sample_ratios": [1.0], "ridges": [0.1]}


@table(
    (lambda: tl.replica(3, PROBLEM), ConfigError, "replica: feature_covariances is 3: give a"),
    (
        lambda: tl.replica(tl.mixture_sample(MIXTURE, samples=3), PROBLEM),
        ConfigError,
        "replica: feature_covariances is a result of mixture_sample: give a",
    ),
    (
        lambda: tl.replica(xr.Dataset({"x": 1.0}), PROBLEM),
        ConfigError,
        "replica: feature_covariances is a dataset with x: give a",
    ),
    (lambda: tl.Inputs(covariance=np.ones((2, 3))), ConfigError, "covariance has shape (2, 3): it must be (N, N)"),
    (
        lambda: tl.Inputs(covariance=np.eye(2), dimension=3),
        ConfigError,
        "dimension is 3, but covariance has shape (2, 2): leave it out",
    ),
    (lambda: tl.Inputs(covariance=SKEWED), ConfigError, "covariance is not symmetric: make it equal to its transpose"),
    (
        lambda: tl.Inputs(Omega=SKEWED, Phi=np.ones((2, 3))),
        ConfigError,
        "Omega is not symmetric: make it equal to its transpose",
    ),
    (
        lambda: tl.Mixture(**CLUSTERS, covariance=SKEWED),
        ConfigError,
        "covariance is not symmetric: make it equal to its transpose",
    ),
    (
        lambda: tl.Mixture(**CLUSTERS, covariance=np.eye(2), dimension=3),
        ConfigError,
        "dimension is 3, but means have 2 coordinates: leave it out",
    ),
    (
        lambda: tl.Mixture(**CLUSTERS, sigma=1, dimension=1),
        ConfigError,
        "dimension is 1, but the means span 2 dimensions: raise it",
    ),
    (lambda: tl.mixture_sample(MIXTURE, sampels=3), ConfigError, "unknown argument 'sampels': allowed are mixture"),
    (
        lambda: tl.torus_descent(gamma=1.0, ridge=0.1, width=4, checkpoint=3),
        ConfigError,
        "checkpoint is 3: give the path of a file, or None",
    ),
    (
        lambda: tl.FeatureCovariances(eigenvalues=[1.0, 2.0], alignments=[1.0], power=1.0),
        ConfigError,
        "eigenvalues and alignments have shapes (2,) and (1,): both must be (d,)",
    ),
    (
        lambda: tl.FeatureCovariances(eigenvalues=[1.0, -2.0], alignments=[1.0, 0.0], power=1.0),
        ConfigError,
        "eigenvalues has -2: give numbers of at least 0",
    ),
    (
        lambda: tl.FeatureCovariances(eigenvalues=[0.0], alignments=[0.0], power=1.0),
        ConfigError,
        "eigenvalues are all 0: give features with a variance",
    ),
    (
        lambda: tl.FeatureCovariances(Psi=np.eye(2), Phi=np.eye(2), Omega=np.eye(2), teacher=np.eye(2)),
        ConfigError,
        "teacher (2, 2): Psi must be (p, p), Phi (p, d), Omega (d, d) and teacher (p,)",
    ),
    (
        lambda: phase_row(tl.Student("relu", 4, dimension=20), tl.Mixture(**CLUSTERS | {"labels": [0, 1]}, sigma=1)),
        ConfigError,
        "mixture has classes as labels, which only replica and convex_learning allow: give labels -1 and 1",
    ),
)
def test_library(provoke, error, message):
    assert_refused(provoke, error, message)


def generator_with(sizes):
    attributes = {"twolayer_object": "generator", "architecture": "SignNetwork", "sizes": json.dumps(sizes)}
    result = tl.sign_generator(widths=[3, 4])
    return latent_generator(result.assign_attrs({key: attributes[key] for key in ("architecture", "sizes")}))


ONE_ROW = Layout({"row": "x"})
COUNTED = Layout({"seed": "x"}, labels={"seed": "seeds"})


@table(
    (
        lambda: generator_with({"widths": [3, 4], "module": "os:getcwd"}),
        ResultError,
        "the result is a SignNetwork, but has the module 'os:getcwd': make it again",
    ),
    (
        lambda: kind_of(xr.Dataset({"x": 1.0}), "mixture"),
        ResultError,
        "found a result without a type with x: give mixture",
    ),
    (
        lambda: ONE_ROW.complete(xr.Dataset({"x": ("column", [1.0])}), None),
        ResultError,
        "result 'x' has the dimensions ('column',) (declared: ('row',)): correct the task or its layout",
    ),
    (
        lambda: COUNTED.placeholder(SimpleNamespace(seeds=10**8)),
        ConfigError,
        "seed would have 1e+08 points: use at most 1e+07",
    ),
    (
        lambda: ONE_ROW.complete(xr.Dataset({"y": ("row", [1.0])}), None),
        ResultError,
        "the variable 'x' is missing or unexpected in the result: its layout is ['x']: correct the task or its layout",
    ),
    (
        lambda: generator_from_dataset(xr.Dataset(attrs={"kind": CONDITIONAL_GENERATOR}), "cpu"),
        ResultError,
        "the result is not a conditional generator ('hidden'): make it again",
    ),
)
def test_results(provoke, error, message):
    assert_refused(provoke, error, message)


CONSTANT = Spectrum(0.0, np.ones(3), np.ones(3), np.full(3, 1 / 3))


def test_a_diffusion_that_stops(monkeypatch):
    stopped = {"message": "Excess work done on this call."}
    monkeypatch.setattr(ultrafast_diffusion, "odeint", lambda *_, **__: (None, stopped))
    with pytest.raises(NotConverged, match=r"stopped \(Excess work done on this call\.\): use fewer cells than 8$"):
        Diffusion.of(CircleTeacher(10.0), 8).solve(np.array([0.0, 1.0]))


@table(
    (
        lambda: ConvexTheory(CONSTANT, "logistic").solve(1.0, 0.1),
        ConfigError,
        "features or labels of the covariates have no variance: give covariances with positive variances",
    ),
    (
        lambda: covariate_spectrum(CovariateModel(SKEWED, np.eye(2), np.eye(2), np.ones(2))),
        ConfigError,
        "Psi is not symmetric: give a symmetric covariance",
    ),
    (
        lambda: MeanFieldFlow.of(CircleTeacher(10.0), 0.0, 0.0, 64),
        ConfigError,
        "ridge is 0: the mean-field flow needs a positive one",
    ),
    (
        lambda: Diffusion.of(CircleTeacher(10.0), 2),
        ConfigError,
        "cells is 2: the diffusion needs a grid of at least 4",
    ),
    (
        lambda: optimal_readout(
            from_means([[1.0], [-1.0]], (1, -1), (0.5, 0.5), 1.0), np.eye(2), np.eye(2), ridge=-1.0
        ),
        ConfigError,
        "ridge is -1.0: use at least 0",
    ),
    (
        lambda: class_distribution(np.array([1.0, 0.0]), np.eye(2), 0.5),
        ConfigError,
        "the classes differ along a direction in which neither has variance: give more samples than features",
    ),
    (
        lambda: slowest_mode(CircleTeacher(1e5), np.zeros(2), 8),
        NotConverged,
        "does not converge in 8 harmonics: take a smaller gamma than 100000",
    ),
)
def test_theory(provoke, error, message):
    assert_refused(provoke, error, message)


@table(
    (
        lambda: coordinates(SKEWED, np.zeros((1, 2))),
        ConfigError,
        "initial Q is not symmetric, or Q or R is not finite: make Q the overlaps of weight vectors",
    ),
    (
        lambda: TorusFeatures(np.ones((3, 2)), np.ones(3), 0),
        ConfigError,
        "width is 0: a network needs at least one feature",
    ),
)
def test_simulation(provoke, error, message):
    assert_refused(provoke, error, message)


def test_distances_without_a_power():
    with pytest.raises(NotConverged, match=r"no power of the size fits the distances .*: use more samples or seeds"):
        decay_exponent(np.array([1.0, 2.0, 4.0]), np.full((3, 3), np.nan), np.ones(3))


def test_evidence_names_the_points_of_a_grid():
    evidence = Evidence("quick", {"sgd_seed1": Source(xr.Dataset(), "sgd", {"seed": 1})})
    with pytest.raises(
        ConfigError, match=r"0 runs of 'sgd' have .*: the figure reads .*'seed': 1.: add a run with these values"
    ):
        evidence.find("sgd", seed=2)


def stored(change):
    """An HDF5 file in memory, after a change."""
    buffer = BytesIO()
    with h5py.File(buffer, "w") as file:
        change(file)
    return buffer


def many(file):
    for number in range(10_001):
        file.create_group(str(number))


def typed(file):
    file["kind"] = np.dtype(float)


def external(file):
    file.create_dataset("x", shape=(3,), dtype=float, external=[("elsewhere.bin", 0, 24)])


def packed(file):
    file.create_dataset("x", data=np.ones(10), chunks=(5,), compression=32001, allow_unknown_filter=True)


def packed_twice(file):
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((10,))
    plan.set_filter(h5py.h5z.FILTER_LZF, h5py.h5z.FLAG_OPTIONAL)
    plan.set_deflate(1)
    new = h5py.h5d.create(file.id, b"x", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((10,)), plan)
    h5py.Dataset(new)[:] = 0.0


def complex_numbers(file):
    file["x"] = np.zeros(2, complex)


def grouped(file):
    file.create_group("group")


BEGINNING = b"\x89HDF\r\n\x1a\n" + bytes(5) + b"\x08\x08" + bytes(9)  # a heap is behind it


def heap_of(text):
    """The beginning of an HDF5 file, and a heap with one text."""
    one = (1).to_bytes(2, "little") + bytes(6) + len(text).to_bytes(8, "little") + text.encode().ljust(8, b"\0")
    return BEGINNING + b"GCOL\1\0\0\0" + (16 + len(one)).to_bytes(8, "little") + one


def endless_heap():
    return BEGINNING + b"GCOL\1\0\0\0" + (64).to_bytes(8, "little") + bytes(48)


def reference(length):
    """A reference to the text that states this length."""
    return length.to_bytes(4, "little") + len(BEGINNING).to_bytes(8, "little") + (1).to_bytes(4, "little")


def talkative(file):
    file.create_dataset("x", data=1.0).attrs["note"] = np.bytes_("a" * 20_000)


@table(
    (lambda: netcdf.load(stored(many)), ValueError, "it has more than 10,000 variables"),
    (lambda: netcdf.load(stored(talkative)), ValueError, "its attribute 'note' has 20000 bytes"),
    (lambda: hdf5.member(h5py.File(stored(talkative)), "y"), ValueError, "it has no array 'y'"),
    (lambda: hdf5.member(h5py.File(stored(typed)), "kind"), ValueError, "'kind' is not an array"),
    (
        lambda: hdf5.check_stored(h5py.File(stored(external))["x"]),
        ValueError,
        "'/x' has its numbers in another file",
    ),
    (lambda: Heaps(endless_heap()).check(reference(3), 1), ValueError, "its heap of texts does not end"),
    (lambda: Heaps(heap_of("abc")).check(reference(9), 1), ValueError, "a text that is longer than its stored part"),
    (lambda: Heaps(heap_of("abc")).check(reference(1), 4), ValueError, "a text that is longer than its stored part"),
    (lambda: Heaps(b"no file"), ValueError, "it does not have the signature of HDF5"),
    (
        lambda: io.read_reference(ROOT / "workflow" / "none.csv", ["x"]),
        ResultError,
        "none.csv is missing: restore it from the repository",
    ),
    (lambda: netcdf.load(stored(grouped)), ValueError, "'group' is not a variable of a result"),
    (lambda: hdf5.check_stored(h5py.File(stored(packed))["x"]), ValueError, "'/x' is packed by a filter that is not"),
    (lambda: hdf5.check_stored(h5py.File(stored(packed_twice))["x"]), ValueError, "'/x' is compressed several times"),
    (lambda: hdf5.check_stored(h5py.File(stored(complex_numbers))["x"]), ValueError, "'/x' does not have numbers or"),
    (
        lambda: io.read_reference(ROOT / "workflow/resources/reference/one_step_fig3b.csv", ["none"]),
        ResultError,
        " has no column 'none': it has [",
    ),
)
def test_files(provoke, error, message):
    assert_refused(provoke, error, message)


def text_file(folder):
    path = folder / "a.txt"
    path.write_text("no array")
    return path


@table(
    (lambda folder: io.check_writable(folder), ResultError, " is a folder: give the path of a file"),
    (
        lambda folder: io.check_writable(text_file(folder) / "a.nc"),
        ResultError,
        " cannot be written (File exists): give another path",
    ),
    (lambda folder: io.read(""), ConfigError, "path is '': give the path of a results file"),
    (lambda folder: io.read_array(text_file(folder)), ResultError, ": give a .npy file of numbers"),
    (lambda folder: io.read_reference(folder, ["x"]), ResultError, " cannot be read (Is a directory): check the file"),
)
def test_places(provoke, error, message, tmp_path):
    assert_refused(provoke, error, message, tmp_path)


def test_a_folder_of_somebody_else(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(
        ResultError, match=r"a\.nc cannot be written, because its folder belongs to another user: give another path"
    ):
        io.check_writable(tmp_path / "a.nc")


def test_libraries_that_cannot_write_a_result(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise TypeError("no such engine")

    monkeypatch.setattr(xr.Dataset, "to_netcdf", fail)
    with pytest.raises(ResultError, match=r"the installed libraries cannot write a result \(no such engine\)"):
        io.prepare_result(tmp_path / "a.nc", "mixture_sample", "{}")


def test_checks_of_another_version(tmp_path):
    path = tmp_path / "fig1.json"
    path.write_text(json_with_checksum(json.dumps({"outcomes": [{"no_such_field": 1}], "made": {}})))
    with pytest.raises(ResultError, match=r"check file .*fig1.json has another version: delete it, and make it again"):
        check_results.read(path)


def test_an_unlock_that_fails(monkeypatch, tmp_path):
    program = tmp_path / "snakemake"
    program.write_text("#!/bin/sh\necho 'no such file' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(ConfigError, match=r"`snakemake --unlock` failed \(no such file\): correct the cause"):
        recovery.recover(tmp_path)


CATALOGUE = Catalogue.load(ROOT, environment={})
UNPLACED = xr.Dataset({"x": ("row", [1.0, 2.0])})
FAMILY = {"grid": {"seed": list(range(1000)), "sigma": list(range(1000))}, "params": {}}


@table(
    (lambda: CATALOGUE.figure("fig99"), ConfigError, "unknown figure 'fig99': config/ has fig9, "),
    (
        lambda: configuration.parsed(f"a: {'1:' * 500}30", "a.yaml"),
        ConfigError,
        "is not a number: put it into quotes",
    ),
    (lambda: CATALOGUE.animated_figure("fig99"), ConfigError, "unknown animation 'fig99': choose one of fig"),
    (
        lambda: CATALOGUE.run("quick", "mixtures", "none"),
        ConfigError,
        "unknown run 'none' of study 'mixtures' at preset 'quick': presets are paper, quick, and config/",
    ),
    (
        lambda: configuration.grid_points(FAMILY, "quick", "mixtures: xor"),
        ConfigError,
        "mixtures: xor: grid has 1,000,000 points at the quick preset: give at most 100,000",
    ),
    (
        lambda: configuration.overridden({"xor": FAMILY}, {"xor": {"seed": 1}}, "overrides.mixtures"),
        ConfigError,
        "overrides.mixtures.xor: seed is a key of the run's grid: change the grid in config/",
    ),
    (
        lambda: configuration.parsed(f"a: 0x{'f' * 5000}", "a.yaml"),
        ConfigError,
        "a.yaml: a: a number has 20,000 bits: give a smaller one",
    ),
    (
        lambda: configuration.parsed('a: !!float ""', "a.yaml"),
        ConfigError,
        "a.yaml is not valid YAML: a value does not have the type of its tag",
    ),
    (
        lambda: comparison.plot(UNPLACED, UNPLACED, "x"),
        ConfigError,
        "variable 'x' has no numeric coordinate: choose another curve",
    ),
    (lambda: compare(ROOT / "none", ROOT), ConfigError, "none does not exist: give two results, or two folders of"),
)
def test_pipeline(provoke, error, message):
    assert_refused(provoke, error, message)


def test_a_configuration_file_of_many_bytes(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b" " * 10_000_001)
    with pytest.raises(ConfigError, match=r"a\.yaml has 10,000,001 bytes: make it smaller than 10,000,000"):
        configuration.read_text(tmp_path, "a.yaml")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "echo 'Unable to contact the controller' >&2; exit 1",
            r"sinfo fails \(Unable to contact the controller\): try again when",
        ),
        ("echo debug", "this cluster has no default partition: set slurm_partition in .* to one of debug"),
    ],
)
def test_clusters(script, message, tmp_path, monkeypatch):
    program = tmp_path / "sinfo"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(ConfigError, match=message):
        cluster.check([None])


def test_a_count_that_is_none(capsys):
    with pytest.raises(SystemExit):
        cli.main(["run", "mixture_sample", "--threads", "0"])
    assert "'0' is not a whole number from 1 to 1024" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (["data=a.nc", "data=b.nc"], "--input is ['data=a.nc', 'data=b.nc']: give each input once"),
        (["mixture=a.nc"], "--input is ['mixture']: this task takes data"),
    ],
)
def test_command(inputs, message, tmp_path, capsys):
    options = [word for name in inputs for word in ("--input", name)]
    assert cli.main(["run", "data_mixture", "--params", "{}", *options, "--output", str(tmp_path / "a.nc")]) == 2
    assert message in capsys.readouterr().err
