# SPDX-License-Identifier: Apache-2.0
"""Models of CP-SAT, whose Python interface is imported without pandas.

OR-tools imports pandas for functions that take or give a ``Series`` or an ``Index``.  Carillon calls none of them, and to
import pandas takes several times as long as to import all the rest.  So its place is held by two empty classes while CP-SAT
is imported.  Whoever imports pandas afterwards gets pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from carillon.allocate.solver import version


def _import() -> Any:
    """The module ``ortools.sat.python.cp_model``.  Raises :class:`.SolverMissingError`."""
    version()
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


class Model(cp_model.CpModel):
    """A model; all solves run on one thread with a fixed seed, so that equal models have equal answers."""

    def any(self, literals: Sequence[Any]) -> Any:
        """A literal that is true if and only if one of the literals is; a constant where that is known."""
        if any(isinstance(literal, int) and literal for literal in literals):
            return 1
        variables = [literal for literal in literals if not isinstance(literal, int)]
        if not variables:
            return 0
        result = self.new_bool_var("")
        self.add_max_equality(result, variables)
        return result

    def copied(self) -> Model:
        """The same model, with variables of the same indices."""
        result = Model()
        result.proto.copy_from(self.proto)
        result.rebuild_constant_map()
        return result

    def answer(self, work: float | None = None, **parameters: Any) -> Answer:
        """Solve within ``work`` of CP-SAT's deterministic time, with parameters of the solver, constants by name."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        if work is not None:
            solver.parameters.max_deterministic_time = max(work, 0.001)
        for name, value in parameters.items():
            known = getattr(solver.parameters, value) if isinstance(value, str) else value
            setattr(solver.parameters, name, known)
        return Answer(solver.status_name(solver.solve(self)), solver)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solve ended with; ``status`` by CP-SAT's name."""

    status: str
    solver: Any

    @property
    def optimal(self) -> bool:
        """Whether nothing is better than the solution that was found."""
        return self.status == "OPTIMAL"

    @property
    def found(self) -> bool:
        """Whether there is a solution, which :meth:`value` reads."""
        return self.status in ("OPTIMAL", "FEASIBLE")

    @property
    def impossible(self) -> bool:
        """Whether it is proved that there is no solution."""
        return self.status == "INFEASIBLE"

    @property
    def work(self) -> float:
        """What the solve took of CP-SAT's deterministic time."""
        return float(self.solver.response_proto.deterministic_time)

    @property
    def least(self) -> float:
        """No solution has a lower objective."""
        return float(self.solver.best_objective_bound)

    def value(self, expression: Any) -> int:
        """What an expression is in the solution."""
        return int(self.solver.value(expression))
