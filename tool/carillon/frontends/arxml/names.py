# SPDX-License-Identifier: Apache-2.0
"""How AUTOSAR's releases call the elements of an ECU configuration.

3.x and 4.x say the same things by other names; one reader with a table of names serves both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PACKAGE = "AR-PACKAGE"
SHORT_NAME = "SHORT-NAME"
DEFINITION = "DEFINITION-REF"
VALUE = "VALUE"
VALUE_REF = "VALUE-REF"
CONTAINERS = ("CONTAINERS", "SUB-CONTAINERS")
PARAMETERS = "PARAMETER-VALUES"
REFERENCES = "REFERENCE-VALUES"
DESCRIPTION = "DESC"


@dataclass(frozen=True, slots=True)
class Release:
    """A schema: its name, the pattern of its namespace, and the names of elements that the other calls otherwise.

    ``parameters`` and ``references`` are what stands for one value each.
    """

    name: str
    namespace: str
    module: str
    container: str
    parameters: frozenset[str]
    references: frozenset[str]


RELEASES = (
    Release(
        "4.x",
        r"http://autosar\.org/schema/r4\.0",
        "ECUC-MODULE-CONFIGURATION-VALUES",
        "ECUC-CONTAINER-VALUE",
        frozenset({"ECUC-NUMERICAL-PARAM-VALUE", "ECUC-TEXTUAL-PARAM-VALUE", "ECUC-ADD-INFO-PARAM-VALUE"}),
        frozenset({"ECUC-REFERENCE-VALUE", "ECUC-INSTANCE-REFERENCE-VALUE"}),
    ),
    Release(
        "3.x",
        r"http://autosar\.org/3\.\d+\.\d+",
        "MODULE-CONFIGURATION",
        "CONTAINER",
        frozenset(
            {
                "BOOLEAN-VALUE",
                "ENUMERATION-VALUE",
                "FLOAT-VALUE",
                "FUNCTION-NAME-VALUE",
                "INTEGER-VALUE",
                "LINKER-SYMBOL-VALUE",
                "STRING-VALUE",
            }
        ),
        frozenset({"REFERENCE-VALUE", "INSTANCE-REFERENCE-VALUE"}),
    ),
)


def release_of(namespace: str) -> Release | None:
    """The release whose schema has that namespace; None if Carillon reads none such."""
    return next((release for release in RELEASES if re.fullmatch(release.namespace, namespace)), None)
