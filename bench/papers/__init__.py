# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that repeat what papers measured, and that say what Carillon's own kernels and services cost.

    python -m bench.papers NAME [--rounds N] [--json] [--plots FOLDER]

They import the tool; the tool does not import them.  ``python -m bench.papers --help`` lists their names.
"""
