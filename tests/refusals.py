"""Tables of what is refused, and how."""

import pytest


def table(*rows):
    """Parametrise a test by what is done, the class of the error, and its message."""
    return pytest.mark.parametrize(("provoke", "error", "message"), rows, ids=[row[2][:40] for row in rows])


def assert_refused(provoke, error, message, *arguments):
    with pytest.raises(error) as caught:
        provoke(*arguments)
    assert message in (found := str(caught.value)), found
