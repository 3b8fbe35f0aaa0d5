# SPDX-License-Identifier: Apache-2.0
"""Models of CP-SAT, made and solved with the compiled module of OR-tools alone.

The Python module above that one imports pandas for functions that Carillon never calls, which takes longer than all the rest.
The compiled one loads numpy by itself, with the first model.  Another version of OR-tools may have another compiled module:
``pyproject.toml`` allows one version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model_helper as helper
from ortools.sat.python.cp_model_helper import CpBaseModel
from ortools.util.python.sorted_interval_list import Domain


class Model:
    """A model; all solves run on one thread with a fixed seed, so that equal models have equal answers.

    A literal is a 0-1 variable, the negation of one, or a constant.
    """

    def __init__(self) -> None:
        self._base: Any = CpBaseModel(None)
        self._proto = self._base.model_proto

    def new_int_var(self, least: int, most: int) -> Any:
        """A variable from ``least`` to ``most``."""
        return helper.IntVar(self._proto).with_domain(Domain(least, most))

    def new_bool_var(self) -> Any:
        """A 0-1 variable."""
        return self.new_int_var(0, 1)

    def new_constant(self, value: int) -> Any:
        """A variable that has one value."""
        return self.variable(self._base.get_or_make_index_from_constant(value))

    def variable(self, index: int) -> Any:
        """The variable of an index: what has this index in the model that this one was copied from is another object."""
        return helper.IntVar(self._proto, index)

    def add(self, constraint: Any) -> Any:
        """An equation or inequality holds; one between constants alone is true or false."""
        if isinstance(constraint, bool):
            return self.add_bool_or([True] if constraint else [])
        return self._base._add_bounded_linear_expression(constraint)

    def add_bool_or(self, literals: Iterable[Any]) -> Any:
        """At least one literal is true."""
        return self._base._add_bool_argument_constraint(helper.bool_or, literals)

    def add_at_most_one(self, literals: Iterable[Any]) -> Any:
        """At most one literal is true."""
        return self._base._add_bool_argument_constraint(helper.at_most_one, literals)

    def add_exactly_one(self, literals: Iterable[Any]) -> Any:
        """One literal is true."""
        return self._base._add_bool_argument_constraint(helper.exactly_one, literals)

    def add_implication(self, one: Any, other: Any) -> Any:
        """If one literal is true, the other is."""
        return self._base._add_bool_argument_constraint(helper.bool_and, [other]).only_enforce_if(one)

    def any(self, literals: Sequence[Any]) -> Any:
        """A literal that is true if and only if one of the literals is; a constant where that is known."""
        if any(isinstance(literal, int) and literal for literal in literals):
            return 1
        variables = [literal for literal in literals if not isinstance(literal, int)]
        if not variables:
            return 0
        result = self.new_bool_var()
        self._base._add_linear_argument_constraint(helper.max, result, variables)
        return result

    def minimize(self, expression: Any) -> None:
        """The objective, instead of any before."""
        self._proto.clear_objective()
        flat = helper.FlatIntExpr(helper.LinearExpr.sum([expression]))
        objective = self._proto.objective
        objective.vars.extend([variable.index for variable in flat.vars])
        objective.coeffs.extend(flat.coeffs)
        objective.offset = flat.offset
        objective.scaling_factor = 1.0

    def hint(self, values: Sequence[tuple[Any, int]]) -> None:
        """The next search begins with these values of variables, instead of any before."""
        self._proto.clear_solution_hint()
        if values:
            self._proto.solution_hint.vars.extend([variable.index for variable, _ in values])
            self._proto.solution_hint.values.extend([value for _, value in values])

    def copied(self) -> Model:
        """The same model, with variables of the same indices."""
        result = Model()
        result._proto.copy_from(self._proto)
        result._base.rebuild_constant_map()
        return result

    def answer(self, work: float | None = None, **parameters: Any) -> Answer:
        """Solve within ``work`` of CP-SAT's deterministic time, with parameters of the solver, constants by name."""
        known: Any = helper.SatParameters()
        known.num_workers = 1
        known.random_seed = 1
        known.catch_sigint_signal = False  # else Ctrl-C ends the tool from then on, without its cleaning up
        if work is not None:
            known.max_deterministic_time = max(work, 0.001)
        for name, value in parameters.items():
            setattr(known, name, getattr(known, value) if isinstance(value, str) else value)
        solver: Any = helper.SolveWrapper()
        solver.set_parameters(known)
        response = solver.solve(self._proto)
        return Answer(response.status.name, response)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solve ended with; ``status`` by CP-SAT's name."""

    status: str
    response: Any

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
        return float(self.response.deterministic_time)

    @property
    def least(self) -> float:
        """No solution has a lower objective."""
        return float(self.response.best_objective_bound)

    def value(self, expression: Any) -> int:
        """What an expression is in the solution."""
        return int(helper.ResponseHelper.value(self.response, expression))
