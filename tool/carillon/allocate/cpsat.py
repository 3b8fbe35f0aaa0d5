# SPDX-License-Identifier: Apache-2.0
"""CP-SAT's Python interface, without pandas.

OR-tools imports pandas for functions that take or give a ``Series`` or an ``Index``.  Carillon calls none of them, and to
import pandas takes several times as long as to import all the rest.  So its place is held by two empty classes while CP-SAT
is imported.  Whoever imports pandas afterwards gets pandas.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any


def _import() -> Any:
    """The module ``ortools.sat.python.cp_model``."""
    if "pandas" in sys.modules:  # somebody else's, and it costs nothing now
        from ortools.sat.python import cp_model

        return cp_model
    place = ModuleType("pandas")
    place.__dict__.update(Series=type("Series", (), {}), Index=type("Index", (), {}))
    sys.modules["pandas"] = place
    try:
        from ortools.sat.python import cp_model
    except AttributeError:  # another version of OR-tools, which needs more of pandas
        sys.modules.pop("ortools.sat.python.cp_model", None)
        del sys.modules["pandas"]
        from ortools.sat.python import cp_model
    finally:
        if sys.modules.get("pandas") is place:
            del sys.modules["pandas"]
    return cp_model


if TYPE_CHECKING:
    from ortools.sat.python import cp_model as cp_model
else:
    cp_model = _import()
