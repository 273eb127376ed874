"""BibTeX entries of the project and of the papers whose figures it reproduces."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from twolayer.errors import ConfigError, DataError
from twolayer.pipeline.project import CLONE

REFERENCES = Path("docs", "references.bib")
SOFTWARE = "twolayer"  # key of the entry of the project


def entries(path: Path = CLONE / REFERENCES) -> Mapping[str, str]:
    """Return the entries of a BibTeX file by their keys.

    Raises:
        DataError: the file is missing.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): restore it from the repository") from None
    return {found[1]: found[0] for found in re.finditer(r"(?ms)^@\w+\{([^,\s]+),.*?^\}", text)}


def citation(papers: Iterable[str]) -> str:
    """Return the entry of the project and the entries of papers, as one text.

    Args:
        papers: keys in `docs/references.bib`.

    Raises:
        ConfigError: there is no entry with one of the keys.
        DataError: the file is missing.
    """
    known = entries()
    if missing := [key for key in papers if key not in known]:
        raise ConfigError(f"{REFERENCES} has no entry {missing[0]!r}: add one, or correct `papers` of the study")
    return "\n\n".join(known[key] for key in (SOFTWARE, *papers))
