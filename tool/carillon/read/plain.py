# SPDX-License-Identifier: Apache-2.0
"""From a table to the model where nothing is to be decided: a key that the model has, too, has the same value there.

So a new key needs a line in the schema and one in the model; a reader says what is more than that.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pydantic import BaseModel

from carillon.read.called import types
from carillon.read.schema_osek import DeclaredTable
from carillon.units import Time


def plain(table: BaseModel, model: type) -> dict[str, Any]:
    """The values of the keys that ``model``, a dataclass, has by the same name: numbers, truth values and texts."""
    values = {name: getattr(table, name) for name in _shared(type(table), model)}
    return {name: value for name, value in values.items() if isinstance(value, (int, str))}


def timed(table: type[BaseModel], model: type) -> list[str]:
    """The keys whose values are times, likewise; those that only the analysis is told are no part of the object itself."""
    return [
        name
        for name in _shared(table, model)
        if Time in types(table.model_fields[name].annotation) and name not in DeclaredTable.model_fields
    ]


def _shared(table: type[BaseModel], model: type) -> list[str]:
    named = {field.name for field in fields(model)}
    return [name for name in table.model_fields if name in named]
