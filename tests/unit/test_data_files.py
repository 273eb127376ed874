"""Custom data in all formats: what is read, and the reason where nothing is."""

import gzip
import struct
import sys
import warnings
from types import SimpleNamespace

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from PIL import Image
from scipy.io import netcdf_file

import twolayer as tl
from twolayer.errors import ConfigError, DataError
from twolayer.model.data.data_files import sample_blocks
from twolayer.model.data.sample_layout import Layout
from twolayer.storage.files import limited_to

RNG = np.random.default_rng(0)
LABELS = np.arange(40) % 2
FEATURES = RNG.standard_normal((40, 3)).round(4) + LABELS[:, None]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def read(name, **layout):
    """All features and labels of a file."""
    features, labels = zip(*sample_blocks(name, Layout(**layout)), strict=True)
    return np.concatenate(features), np.concatenate(labels)


def refused(message, name, **layout):
    with pytest.raises((DataError, ConfigError), match=message) as caught:
        read(name, **layout)
    assert "\n" not in str(caught.value)


def tiff(levels, tags):
    """The bytes of a TIFF file, with its tags as they are: photometric interpretation, sample format, and sizes."""
    (height, width), data = levels.shape, levels.tobytes()
    entries = {256: width, 257: height, 258: 8 * levels.itemsize, 259: 1, 262: 1, 273: 8, 277: 1, 278: height}
    entries |= {279: len(data), 339: 1} | tags
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(entries.items()))
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(entries)) + directory + bytes(4)


def table(names=("a", "b", "c"), labels=LABELS):
    return pd.DataFrame(FEATURES, columns=list(names)).assign(y=labels)


def lines(delimiter=",", header=None, decimal="."):
    rows = [[*map(str, row), str(label)] for row, label in zip(FEATURES, LABELS, strict=True)]
    text = [delimiter.join(field.replace(".", decimal) for field in row) for row in rows]
    return "\n".join([*([delimiter.join(header)] if header else []), *text]) + "\n"


def is_all(found, labels=LABELS):
    np.testing.assert_allclose(found[0], FEATURES, rtol=1e-12)
    assert list(map(str, found[1])) == list(map(str, labels))


class TestText:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", ", "])
    @pytest.mark.parametrize("header", [None, ["a", "b", "c", "y"]])
    def test_every_delimiter_with_and_without_a_header(self, here, delimiter, header):
        (here / "a.csv").write_text(lines(delimiter, header))
        is_all(read("a.csv"))

    @pytest.mark.parametrize(
        "name", ["a.tsv", "a.csv.gz", "a.tsv.gz", "A.CSV", "my.data.csv", "a.txt", "a.dat", "a.data", "a.txt.gz"]
    )
    def test_names_of_files(self, here, name):
        text = lines("\t" if ".tsv" in name else ",", ["a", "b", "c", "y"])
        (here / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        is_all(read(name))

    @pytest.mark.parametrize("delimiter", [";", "\t"])
    def test_decimal_commas(self, here, delimiter):
        (here / "a.csv").write_text(lines(delimiter, ["a", "b", "c", "y"], decimal=","))
        is_all(read("a.csv"))

    @pytest.mark.parametrize("names", ["abc", (0, 1, 2), range(3)])
    def test_what_pandas_writes_without_its_index(self, names):
        table(names).to_csv("a.csv", index=False)
        is_all(read("a.csv"))

    def test_what_pandas_writes_of_an_array(self):
        pd.DataFrame(np.column_stack([FEATURES, LABELS])).to_csv("a.csv", index=False)
        np.testing.assert_allclose(read("a.csv")[0], FEATURES)
        assert len(read("a.csv")[1]) == 40

    @pytest.mark.parametrize("order", [slice(None), RNG.permutation(40)])
    def test_the_index_of_pandas_is_no_feature(self, order):
        table().iloc[order].to_csv("a.csv")
        np.testing.assert_allclose(read("a.csv")[0], FEATURES[order])
        pd.read_csv("a.csv").to_csv("b.csv", index=False)  # pandas now calls the column "Unnamed: 0"
        np.testing.assert_allclose(read("b.csv")[0], FEATURES[order])

    def test_only_the_first_column_counts_as_names_of_rows(self):
        table(["a", "Unnamed: 1", "Unnamed: 2"]).to_csv("a.csv", index=False)
        is_all(read("a.csv"))

    def test_names_of_rows_as_r_writes_them(self, here):
        rows = [f'"{place}",{line}' for place, line in enumerate(lines().splitlines(), 1)]
        (here / "a.csv").write_text('"a","b","c","y"\n' + "\n".join(rows) + "\n")
        is_all(read("a.csv"))

    def test_comments_a_mark_of_order_and_empty_lines(self, here):
        np.savetxt("a.csv", np.column_stack([FEATURES, LABELS]), delimiter=",", header="three features\nand a label")
        np.testing.assert_allclose(read("a.csv")[0], FEATURES)
        (here / "b.csv").write_text("\ufeff" + lines(",", ["a", "b", "c", "y"]) + "\n\n", encoding="utf-8")
        is_all(read("b.csv", labels="y"))
        assert read("b.csv", labels="a")[0].shape == (40, 3)

    @pytest.mark.parametrize("labels", [["NA", "yes"], ["None", "1"], ["no", "yes"], ["1", "x"], ["ja ", "nein"]])
    def test_texts_as_labels(self, labels):
        labels = np.array(labels)[LABELS]
        table(labels=labels).to_csv("a.csv", index=False)
        is_all(read("a.csv"), np.char.strip(labels))

    def test_labels_whose_type_changes_with_the_block(self):
        labels = np.where(np.arange(9000) < 5000, "0", "late")
        pd.DataFrame({"a": RNG.standard_normal(9000), "y": labels}).to_csv("a.csv", index=False)
        found = tl.data_samples(file="a.csv")
        assert found.field.values[0] < 0 < found.field.values[-1]

    def test_a_column_by_its_number(self, here):
        (here / "a.csv").write_text(lines())
        np.testing.assert_allclose(read("a.csv", labels="0")[1].astype(float), FEATURES[:, 0])
        refused("a.csv has no column 'y': set labels to 0, 1, 2, 3", "a.csv", labels="y")

    def test_columns_that_are_left_out(self):
        table().assign(name="text", y2=LABELS).to_csv("a.csv", index=False)
        is_all(read("a.csv", labels="y2", leave_out=["name", "y"]))
        refused("no column 'nome': set leave_out to", "a.csv", leave_out=["nome"])

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a,b,y\n1,?,0\n2,3,1\n", r"sample 0 has '\?' in column 'b': fill it in, or remove the sample"),
            ("a,b,y\n1,2,0\n2,NA,1\n", "sample 1 has no value in column 'b': fill it in"),
            ("a,b,y\n1,2,0\n2,,1\n", "sample 1 has no value in column 'b'"),
            ("a,b,y\n1,2,0\n2,3,\n", "sample 1 has no label in column 'y': fill it in, or remove the sample"),
            ("a,b,y\n1,2,0\n2,12x,1\n3,4,1\n", "sample 1 has '12x' in column 'b'"),
            (
                "a,b,y\n1,u,0\n2,v,1\n",
                "'b' has 'u' instead of a number: list it in leave_out, name it as labels, or write",
            ),
            ("a,b,y\n1,2,0\n1,2,3,0\n3,4,1\n", "has 3 fields in its first line and 4 in others: .* as many fields"),
            ("a,b,y\n1,2,0,\n1,2,1,\n", "has a delimiter at the end of each line after the first: remove it"),
            ("a,b,y\n0.5,1,2,0\n-1,1,2,1\n", "has 3 names in its first line and 4 fields in others, .*: give each col"),
            ("My table\na,y\n1,0\n", "has 1 fields in its first line and 2 in others"),
            ("@relation x\n@attribute a numeric\n@attribute y {0,1}\n@data\n1,0\n", "has 1 fields in its first line"),
            ("a,b,y\nTrue,2,0\n,3,1\n", "'a' has 'True' instead of a number: .* or write 0 and 1"),
            ("a,b,y\nTrue,2,0\n1,3,1\n,3,1\n1,3,1\n", "sample 0 has 'True' in column 'a': fill it in"),
            ("a,b,y\n1,2,0\n1,2,1\n# end\n", "sample 2 has '# end' in column 'a': .* remove the sample"),
            ('a,b,y\n1,2,0\n1,2,1\n"1,2,1\n', "EOF inside string starting at row 3"),
            ("a;b;y\n1,234;5;0\n17,500;6;1\n", "has '1,234', whose comma separates either decimals or thousands"),
            ("a,b,y\n1,2,0\n1,2,1\0\n", "has characters with the code 0, so it is no text in UTF-8"),
            (
                f"a,b,y\n{2**60 + 1},2,0\n{2**60},3,1\n",
                "column 'a' has 1152921504606846977, which double precision rounds: leave the feature out",
            ),
            (f"a,b,y\n{10**20 + 1},2,0\n{10**20},3,1\n", "column 'a' has 100000000000000000001, which double"),
            ("a,b,,y\n1,2,3,0\n1,2,3,1\n", r"column 2 \(counted from 0\) has no name"),
            ("a,b,y,\n1,2,0,\n1,2,1,\n", "remove the delimiter at the end of each line"),
            ("a,a,y\n1,2,0\n1,2,1\n", "two columns 'a'"),
            ("1\n2\n", "has a single column: give features and a label"),
            (
                "My table\na,b,y\n1,2,0\n",
                "has 1 fields in its first line and 3 in others: begin the file with the names",
            ),
            ("sep=,\na,b,c,y\n1,2,3,0\n", "has 2 fields in its first line and 4 in others"),
            (
                "a,b,y\n1,$2,0\n2,$3,1\n",
                "'b' has '[$]2' instead of a number: .* or write plain numbers, such as 1234.5",
            ),
            ("a,b,y\n1,5%,0\n2,6%,1\n", "'b' has '5%' instead of a number: .* or write plain numbers"),
            ('a,b,y\n1,"1,5",0\n2,"2,5",1\n', "'b' has '1,5' instead of a number: .* or write plain numbers"),
            ("a,b,y\n1,\u00a02.5,0\n2,\u00a03.5,1\n", "'b' has .* instead of a number: .* or write plain numbers"),
            ("a,b,y\n1,\u0661,0\n2,\u0662,1\n", "'b' has .* instead of a number: .* or write plain numbers"),
            ("a;b;y\n1,5;1.5;0\n2,5;2.5;1\n", "'b' has the text '1.5' instead of a number: use one decimal sign"),
            ("", "has no lines"),
        ],
    )
    def test_what_is_no_table(self, here, text, message):
        (here / "a.csv").write_text(text, encoding="utf-8")
        refused(message, "a.csv")

    @pytest.mark.parametrize(
        ("names", "labels"),
        [
            (["2019", "2020", "2021", "2023"], LABELS),
            (["400", "402", "404", "class"], np.where(LABELS, "wheat", "rye")),
        ],
    )
    def test_positions_on_a_scale_are_names(self, names, labels):
        """Such as years, and the wavelengths of spectra."""
        frame = pd.DataFrame(FEATURES, columns=names[:3]).assign(y=labels)
        frame = frame.assign(more=RNG.standard_normal(40))[[*names[:3], "more", "y"]]
        frame.columns = [*names[:3], str(2 * int(names[2]) - int(names[1])), names[3]]
        frame.to_csv("a.csv", index=False)
        found = read("a.csv")
        np.testing.assert_allclose(found[0][:, :3], FEATURES)
        assert list(map(str, found[1])) == list(map(str, labels))

    def test_wavelengths_with_uneven_steps_are_names(self):
        spectra = RNG.standard_normal((40, 20))
        names = [f"{1000 + 3.8 * place + 0.001 * place**2:.2f}" for place in range(20)]
        for order in (names, names[::-1]):
            pd.DataFrame(spectra, columns=order).assign(y=np.where(LABELS, "wheat", "rye")).to_csv("a.csv", index=False)
            np.testing.assert_allclose(read("a.csv")[0], spectra)

    @pytest.mark.parametrize(
        "text",
        [
            "1,2,3,4,0\n2,2,5,1,1\n3,1,1,2,0\n",  # whole numbers
            "1,2,3,4,a\n1.5,2.5,5.5,1.5,b\n3.5,1.5,1.5,2.5,a\n",  # a label of other samples as well
            "1,2,3,4,a\n1.5,2.5,3.5,4.5,c\n3.5,2.5,3.5,4.1,b\n",  # later samples with equal steps
            "0.5,1.5,2.5,3.5,a\n1.5,2.5,5.5,1.5,c\n3.5,1.5,1.5,2.5,b\n",  # fractions
        ],
    )
    def test_a_first_sample_with_equal_steps_is_no_header(self, here, text):
        (here / "a.csv").write_text(text)
        assert len(read("a.csv")[0]) == 3

    def test_decimal_commas_of_labels(self, here):
        (here / "a.csv").write_text(lines(";", ["a", "b", "c", "y"], decimal=",").replace(";1\n", ";2,5\n"))
        assert set(read("a.csv")[1]) == {"0", "2.5"}

    def test_names_with_spaces_in_quotes(self, here):
        (here / "a.txt").write_text(lines("  ", ['"my a"', '"my b"', "c", "y"]))
        is_all(read("a.txt", labels="y"))
        refused("has no column 'a': set labels to .*my a", "a.txt", labels="a")

    @pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
    def test_other_encodings(self, here, encoding):
        (here / "a.csv").write_bytes("a,größe,y\n1,2,0\n".encode(encoding))
        refused("a.csv cannot be read .*utf-8.*: save its texts in UTF-8", "a.csv")

    @pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
    @pytest.mark.parametrize("packed", [False, True])
    def test_the_content_tells_whether_a_table_is_packed(self, here, name, packed):
        content = lines(header="abcy").encode()
        (here / name).write_bytes(gzip.compress(content) if packed else content)
        is_all(read(name))

    def test_whole_numbers_of_many_digits(self, here):
        """Pandas reads them as texts."""
        large = [f"{10**21 + 10**19 * number}" for number in range(40)]
        table(labels=LABELS).assign(a=large).to_csv("a.csv", index=False)
        np.testing.assert_allclose(read("a.csv")[0][:, 0], np.array(large, float))

    def test_the_label_is_left_out(self):
        table().to_csv("a.csv", index=False)
        refused("leave_out lists 'y', the column of the labels: set labels to another", "a.csv", leave_out=["y"])

    def test_parquet_without_a_package_that_reads_it(self, here, monkeypatch):
        (here / "a.parquet").write_bytes(b"PAR1")
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
        refused("a.parquet is a Parquet file: install pyarrow to read it, or save it as CSV", "a.parquet")

    def test_parquet(self, here, monkeypatch):
        """Simulated: pandas gives the table, and pyarrow its size."""
        (here / "a.parquet").write_bytes(b"PAR1")
        about = SimpleNamespace(num_rows=40, num_columns=4, num_row_groups=1)
        about.row_group = lambda number: SimpleNamespace(total_byte_size=2000)
        forms = [SimpleNamespace(path=name, physical_type="BYTE_ARRAY" if name == "y" else "DOUBLE") for name in "abcy"]
        about.schema = SimpleNamespace(column=lambda number: forms[number])
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", SimpleNamespace(read_metadata=lambda path: about))
        frame = table(labels=pd.Categorical(np.where(LABELS, "yes", "no"))).astype({"a": "Float64"})
        asked = {"engine": "pyarrow", "read_dictionary": ["y"]}
        monkeypatch.setattr(pd, "read_parquet", lambda path, **options: frame if options == asked else None)
        is_all(read("a.parquet"), frame.y)
        frame["y"] = frame.y.cat.rename_categories({"no": "n" * 100_000})
        with limited_to(0.1):
            refused("a.parquet has 0.41 GB when it is unpacked", "a.parquet")
        frame["y"] = "a"
        frame.loc[3, "a"] = pd.NA
        refused("sample 3 has no value in column 'a'", "a.parquet")
        about.num_rows = 10**9
        refused("has 32 GB when it is unpacked", "a.parquet")

    def test_parquet_with_pyarrow(self, here, monkeypatch):
        """As pandas writes it, with missing values, texts, a damaged file, and values that take no space."""
        pytest.importorskip("pyarrow")
        frame = table(labels=pd.Categorical(np.where(LABELS, "yes", "no"))).astype({"a": "Float64"})
        frame.set_index(pd.Index(100 + np.arange(40), name="row")).to_parquet("a.parquet")
        is_all(read("a.parquet"), frame.y)
        frame.assign(a=frame.a.where(np.arange(40) != 3)).to_parquet("a.parquet")
        refused("sample 3 has no value in column 'a'", "a.parquet")
        frame.assign(a=frame.a.astype(str)).to_parquet("a.parquet")
        refused("column 'a' has the text '.*' instead of a number: .* store the column as numbers", "a.parquet")
        (here / "a.parquet").write_bytes((here / "a.parquet").read_bytes()[:-9])
        refused("a.parquet cannot be read .*: give an undamaged file of numbers", "a.parquet")
        monkeypatch.setenv("TWOLAYER_LARGEST_GB", "0.001")
        pd.DataFrame(np.zeros((40_000, 4)), columns=list("abcy")).to_parquet("a.parquet")
        assert (here / "a.parquet").stat().st_size < 10_000
        refused("has 0.00128 GB when it is unpacked", "a.parquet")


class TestArrays:
    def write(self, name, features=FEATURES, labels=LABELS):
        np.savez(name, features=features, labels=labels)
        return name

    @pytest.mark.parametrize(
        "labels",
        [LABELS[:, None], LABELS > 0, LABELS.astype(np.int8), LABELS.astype("S1"), LABELS.astype(">f8"), 1.0 * LABELS],
        ids=str,
    )
    def test_labels_of_any_type_and_as_a_column(self, labels):
        self.write("a.npz", labels=labels)
        assert tl.data_samples(file="a.npz").field.values[1] > 0

    @pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "u2", ">i4", "?", "g"])
    def test_numbers_of_any_type(self, kind):
        features = (100 * FEATURES).astype(kind)
        np.testing.assert_array_equal(read(self.write("a.npz", features))[0], features.astype(float))

    @pytest.mark.parametrize(
        ("features", "labels", "message"),
        [
            (FEATURES + 0j, LABELS, "features that are complex numbers: give real and imaginary parts"),
            (FEATURES.astype(str), LABELS, "features that are texts or objects: give an array of numbers"),
            (np.zeros((40, 2), "M8[s]"), LABELS, "features that are dates"),
            (FEATURES.T, LABELS, r"shape \(3, 40\) and labels of shape \(40,\): .* \(transpose the features\)"),
            (FEATURES, np.eye(2)[LABELS], r"labels of shape \(40, 2\): .*argmax\(axis=1\)"),
            (FEATURES, LABELS + 0j, "labels of the type complex128: give numbers or texts"),
            (FEATURES[:, 0], LABELS, "give one row of features"),
            (FEATURES[:, :0], LABELS, r"features of shape \(40, 0\) .*: give one row of features"),
            (FEATURES, LABELS[:, None, None], r"labels of shape \(40, 1, 1\)"),
            (np.full((40, 2), 2**60 + 1), LABELS, "has 1152921504606846977, which double precision rounds"),
            (np.full((40, 2), 2**64 - 1, np.uint64), LABELS, "has 18446744073709551615, which double precision rounds"),
        ],
    )
    def test_what_is_no_features_and_labels(self, features, labels, message):
        refused(message, self.write("a.npz", features, labels))

    @pytest.mark.parametrize("end", [30, 200, 700, -40])
    def test_a_truncated_file(self, here, end):
        data = (here / self.write("a.npz")).read_bytes()
        np.savez_compressed("b.npz", features=FEATURES, labels=LABELS)
        for name, content in (("a.npz", data), ("b.npz", (here / "b.npz").read_bytes())):
            (here / name).write_bytes(content[:end])
            refused(f"{name} cannot be read .*: give an undamaged file", name)

    def test_a_damaged_member(self, here):
        data = bytearray((here / self.write("a.npz")).read_bytes())
        data[300] ^= 255
        (here / "a.npz").write_bytes(data)
        refused("a.npz cannot be read", "a.npz")

    def test_objects(self):
        self.write("a.npz", labels=np.array(["yes", 1] * 20, dtype=object))
        refused(r"a.npz has Python objects in 'labels': save numbers, or texts with astype\(str\)", "a.npz")
        np.save("x.npy", FEATURES)
        np.save("y.npy", LABELS.astype(object))
        refused(r"^y.npy has Python objects: save numbers, or texts with astype\(str\)", "x.npy", labels="y.npy")
        refused("^y.npy has Python objects: save numbers", "y.npy")

    def test_sparse_matrices(self):
        scipy.sparse.save_npz("a.npz", scipy.sparse.csr_matrix(FEATURES))
        refused(r"a.npz is a sparse matrix of SciPy: save its toarray\(\) and the labels with numpy.savez", "a.npz")

    def test_one_feature_and_the_label(self):
        np.save("a.npy", np.column_stack([FEATURES[:, 0], LABELS]))
        assert read("a.npy")[0].shape[1] == 1

    def test_labels_as_a_row(self):
        """As MATLAB keeps them."""
        is_all(read(self.write("a.npz", labels=LABELS[None])))

    def test_what_numpy_did_not_write(self, here):
        """The advice of NumPy would be to run the code of a pickle."""
        np.save("a.npy", FEATURES)
        (here / "b.npy").write_text(lines())
        (here / "c.npz").write_text(lines())
        for name, layout in (("b.npy", {}), ("c.npz", {}), ("a.npy", {"labels": "b.npy"})):
            refused(r"(b.npy|c.npz) is not a NumPy file: write it with numpy.save or numpy.savez", name, **layout)

    def test_names_that_cannot_be_opened(self, here):
        refused("csv' cannot be read .File name too long.: give a file", f"{'x' * 300}.csv")
        refused("~nobody-of-this-name/a.csv is missing: give a file", "~nobody-of-this-name/a.csv")

    def test_a_long_header(self, here):
        (here / "a.npy").write_bytes(b"\x93NUMPY\x02\0" + struct.pack("<I", 20_000) + b" " * 20_000)
        refused("a.npy cannot be read .Header info length .*: give an undamaged file", "a.npy")

    def test_an_archive_without_arrays(self, here):
        np.savez("a.npz")
        refused("a.npz has no arrays: give features", "a.npz")
        with h5py.File("a.h5", "w") as file:
            file.create_group("nothing")
        refused("a.h5 has no arrays: give features", "a.h5")

    def test_one_format_by_the_name_of_the_other(self, here):
        (here / "a.npy").write_bytes((here / self.write("a.npz")).read_bytes())
        refused("a.npy is an archive of arrays: rename it to .npz", "a.npy")
        np.save("b.npy", FEATURES)
        (here / "b.npz").write_bytes((here / "b.npy").read_bytes())
        refused("b.npz is a single array: rename it to .npy", "b.npz")

    @pytest.mark.parametrize("place", ["other/y.npy", "{here}/other/y.npy", "~/other/y.npy"])
    def test_labels_in_another_file(self, here, place):
        (here / "other").mkdir()
        np.save("x.npy", FEATURES)
        np.save("other/y.npy", LABELS[:, None])
        is_all(read("x.npy", labels=place.format(here=here)))
        refused(
            "the labels file .*/none.npy is missing: set labels to an npy file", "x.npy", labels=str(here / "none.npy")
        )

    def test_the_home_folder(self, here):
        self.write("a.npz")
        assert tl.data_samples(file="~/a.npz").sizes["sample"] == 40

    @pytest.mark.parametrize(
        ("name", "layout", "message"),
        [
            ("a.npz", {"size": 8}, "size is 8, which a.npz does not use"),
            ("a.npz", {"leave_out": ["b"]}, r"leave_out is \['b'\], which a.npz does not use"),
            ("a.npy", {"features": "X"}, "features is 'X', which a.npy does not use"),
            ("a.csv", {"features": "X"}, "features is 'X', which a.csv does not use"),
            ("folder", {"labels": "y"}, "labels is 'y', which folder does not use"),
            ("folder", {"features": "X"}, "features is 'X'"),
        ],
    )
    def test_options_that_a_format_does_not_use(self, here, name, layout, message):
        (here / "folder").mkdir()
        for file in ("a.npz", "a.npy", "a.csv"):
            (here / file).touch()
        refused(message, name, **layout)

    @pytest.mark.parametrize("option", [{"size": 8}, {"labels": "y"}, {"leave_out": ["y"]}, {"threshold": 0.5}])
    def test_options_of_files_for_a_data_set(self, option):
        with pytest.raises(ConfigError, match=f"{next(iter(option))} belongs to a file: leave it out for a dataset"):
            tl.data_samples(dataset="digits", **option)


class TestHDF5:
    def write(self, name="a.h5", features=FEATURES, labels=LABELS, **attributes):
        with h5py.File(name, "w") as file:
            file["features"], file["labels"] = features, labels
            file["features"].attrs.update(attributes)
        return name

    def test_groups(self):
        with h5py.File("a.h5", "w") as file:
            file["train/X"], file["train/y"], file["train/meta/z"] = FEATURES, LABELS, 1.0
        is_all(read("a.h5", features="train/X", labels="/train/y"))
        refused("no array 'train': set features to one of train/X, train/y", "a.h5", features="train")
        refused("no array 'features'", "a.h5")

    def test_texts(self):
        texts = np.where(LABELS, "ja", "nein")
        for labels in (texts.astype("S4"), [text.encode() for text in texts], texts.astype(object)):
            self.write(labels=labels)
            is_all(read("a.h5"), texts)

    def test_packed_numbers(self):
        packed = np.rint((FEATURES - 5) / 1e-3).astype(np.int16)
        self.write("a.nc", packed, scale_factor=1e-3, add_offset=5.0, _FillValue=np.int16(-32768))
        np.testing.assert_allclose(read("a.nc")[0], FEATURES, atol=1e-3)
        packed[3, 1] = -32768
        self.write("a.nc", packed, scale_factor=1e-3, add_offset=5.0, _FillValue=np.int16(-32768))
        assert np.argwhere(np.isnan(read("a.nc")[0])).tolist() == [[3, 1]]
        with pytest.raises(DataError, match=r"a.nc has nan in feature 1 of sample 3"):
            tl.data_samples(file="a.nc")

    @pytest.mark.parametrize(
        "attributes",
        [
            {"missing_value": -999.0},
            {"missing_value": [-999.0, -998.0]},
            {"valid_min": -100.0},
            {"valid_range": [-100.0, 100.0]},
        ],
    )
    def test_marks_of_missing_values(self, attributes):
        features = FEATURES.copy()
        features[7, 2] = -999
        self.write(features=features, **attributes)
        assert np.argwhere(np.isnan(read("a.h5")[0])).tolist() == [[7, 2]]

    @pytest.mark.parametrize(
        ("attributes", "message"),
        [
            ({"scale_factor": 0.0}, "the attribute scale_factor .*0.0.*: it must be a number other than 0"),
            ({"scale_factor": np.nan}, "the attribute scale_factor .*nan"),
            ({"add_offset": "much"}, "the attribute add_offset 'much': it must be a number"),
            ({"add_offset": [1.0, 2.0]}, "the attribute add_offset"),
            ({"valid_min": np.array([])}, "the attribute valid_min"),
            ({"valid_range": "0, 1"}, "the attribute valid_range '0, 1': it must be two numbers"),
            ({"valid_range": [0.0]}, "the attribute valid_range"),
        ],
    )
    def test_attributes_that_hold_no_numbers(self, attributes, message):
        refused(f"a.h5 has {message}", self.write(**attributes))

    def test_unsigned_numbers_and_numbers_that_were_never_set(self):
        self.write(features=np.full((40, 2), -1, np.int8), _Unsigned="true")
        assert (read("a.h5")[0] == 255).all()
        self.write(features=np.full((40, 2), 9.96921e36, np.float32))
        assert np.isnan(read("a.h5")[0]).all()

    def test_a_missing_label(self):
        self.write()
        with h5py.File("a.h5", "a") as file:
            file["labels"].attrs["_FillValue"] = 1
        with pytest.raises(DataError, match=r"a.h5 has the label nan: give every sample a finite label"):
            tl.data_samples(file="a.h5")

    def test_classic_netcdf(self):
        with netcdf_file("a.nc", "w") as file:
            for name, size in (("n", 40), ("d", 3), ("letters", 3)):
                file.createDimension(name, size)
            features = file.createVariable("features", "i2", ("n", "d"))
            features.scale_factor = 1e-3
            features[:] = np.rint(FEATURES / 1e-3)
            file.createVariable("labels", "c", ("n", "letters"))[:] = np.array([list("yes"), list("no\0")])[1 - LABELS]
        found = read("a.nc")
        np.testing.assert_allclose(found[0], FEATURES, atol=1e-3)
        assert found[1][:2].tolist() == ["no", "yes"]

    @pytest.mark.parametrize("end", [3, 100, 2000])
    def test_a_truncated_file(self, here, end):
        data = (here / self.write()).read_bytes()
        (here / "a.h5").write_bytes(data[:end])
        refused("a.h5 cannot be read", "a.h5")

    def test_half_precision(self):
        half = FEATURES.astype("f2")
        with h5py.File("a.h5", "w") as file:
            file["features"], file["labels"] = half, LABELS
        with warnings.catch_warnings(action="error"):
            np.testing.assert_array_equal(read("a.h5")[0], half)


class TestPictures:
    def save(self, here, make, suffix="png", count=12):
        for label in (0, 1):
            (here / "pictures" / str(label)).mkdir(parents=True, exist_ok=True)
            for number in range(count):
                make(label, number).save(here / "pictures" / str(label) / f"{number}.{suffix}")

    def levels(self, label, number):
        return np.random.default_rng([label, number]).uniform(0.1, 0.7, (6, 6)) + 0.2 * label

    def test_16_bits_are_the_same_as_8(self, here):
        self.save(here, lambda *one: Image.fromarray((255 * self.levels(*one)).astype(np.uint8)))
        eight = read("pictures", size=6)[0]
        self.save(here, lambda *one: Image.fromarray((65535 * self.levels(*one)).astype(np.uint16)))
        sixteen = read("pictures", size=6)[0]
        np.testing.assert_allclose(sixteen, eight, atol=1 / 255)
        np.testing.assert_allclose(sixteen[0], self.levels(0, 0).ravel(), atol=2e-5)

    def test_other_files_are_named(self, here, caplog):
        self.save(here, lambda *one: Image.fromarray((255 * self.levels(*one)).astype(np.uint8)), "PNG")
        for hidden in (".DS_Store", "1/._0.png", "1/Thumbs.db"):
            (here / "pictures" / hidden).write_bytes(b"0")
        assert len(read("pictures")[0]) == 24
        assert not caplog.records
        (here / "pictures/1/0.png").mkdir()
        (here / "pictures/0/1.heic").write_bytes(b"0")
        (here / "pictures/2.png").write_bytes(b"0")
        assert len(read("pictures")[0]) == 24
        assert "pictures has 3 files or folders that are not read, such as '2.png': a picture is in" in caplog.text

    def test_floating_point_pictures(self, here):
        self.save(here, lambda *one: Image.fromarray(self.levels(*one).astype(np.float32)), "tif")
        np.testing.assert_allclose(read("pictures", size=6)[0][0], self.levels(0, 0).ravel(), rtol=1e-6)
        Image.fromarray(np.full((6, 6), 9, np.uint8)).save(here / "pictures/1/0.png")
        refused("numbers without a largest value, but .* has grey levels: convert all pictures to one type", "pictures")

    def test_transparent_pixels(self, here):
        opaque = np.full((6, 6, 4), 255, np.uint8)
        self.save(here, lambda *one: Image.fromarray(opaque // (1 + np.eye(4, dtype=np.uint8)[0] * one[0])))
        read("pictures")
        opaque[0, 0, 3] = 0
        self.save(here, lambda *_: Image.fromarray(opaque))
        refused("0.png has transparent pixels, whose grey level is not defined: give it a background", "pictures")

    def test_transparent_levels_of_16_bits(self, here):
        levels = np.full((6, 6), 700, np.uint16)
        for level in (701, 700):
            for label in (0, 1):
                (here / "pictures" / str(label)).mkdir(parents=True, exist_ok=True)
                Image.fromarray(levels).save(here / "pictures" / str(label) / "0.png", transparency=level)
            if level == 701:
                assert len(read("pictures")[0]) == 2
        refused("0.png has transparent pixels, whose grey level is not defined", "pictures")

    @pytest.mark.parametrize(
        ("bits", "tags", "message"),
        [
            (8, {}, None),
            (16, {}, None),
            (8, {262: 0}, None),
            (16, {262: 0}, "0.tif stores white as 0 in more than 8 bits: save it with black as 0"),
            (8, {339: 2}, "0.tif has signed numbers of 8 bits: save it with unsigned numbers"),
        ],
    )
    def test_tiff_files_with_other_meanings_of_the_numbers(self, here, bits, tags, message):
        """Pillow applies the tags only to some of the pixel formats."""
        (here / "pictures/0").mkdir(parents=True)
        levels = np.arange(36, dtype=f"u{bits // 8}").reshape(6, 6)
        (here / "pictures/0/0.tif").write_bytes(tiff(levels, tags))
        if message:
            refused(message, "pictures", size=6)
        else:
            white = 255 - levels if tags else levels
            np.testing.assert_allclose(read("pictures", size=6)[0][0], white.ravel() / (2**bits - 1))

    def test_the_orientation_of_a_camera(self, here):
        picture = np.zeros((6, 6), np.uint8)
        picture[0] = 255
        exif = Image.Exif()
        exif[0x0112] = 6  # to be turned by 90 degrees
        self.save(here, lambda *_: Image.fromarray(picture))
        Image.fromarray(picture).save(here / "pictures/0/0.png", exif=exif)
        found = read("pictures", size=6)[0].reshape(-1, 6, 6)
        assert found[0][:, -1].all()
        assert found[1][0].all()

    def test_several_pictures_in_a_file(self, here):
        self.save(here, lambda *one: Image.fromarray((255 * self.levels(*one)).astype(np.uint8)))
        frames = [Image.fromarray(np.full((6, 6), level, np.uint8)) for level in (0, 255)]
        frames[0].save(here / "pictures/0/9.tif", save_all=True, append_images=frames[1:])
        refused("9.tif has several pictures in one file: save one", "pictures")

    def test_hidden_files_and_folders(self, here):
        self.save(here, lambda *one: Image.fromarray((255 * self.levels(*one)).astype(np.uint8)))
        (here / "pictures" / ".ipynb_checkpoints").mkdir()
        (here / "pictures" / "0" / "._1.png").write_bytes(b"of another system")
        assert len(read("pictures")[0]) == 24

    def test_a_size_beyond_memory(self, here):
        self.save(here, lambda *one: Image.fromarray((255 * self.levels(*one)).astype(np.uint8)))
        refused("pictures has 9.6 GB when it is unpacked, and the limit is 4 GB", "pictures", size=10_000)
