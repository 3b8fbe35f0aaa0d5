# SPDX-License-Identifier: Apache-2.0
"""What the readers of other tools' files share.

Such a reader makes the tables of a schedule file, with a place for everything in them, of a file in another language
(:class:`.converted.Foreign`).  The schedule's own reader does the rest, so that the file and the schedule that
``carillon import`` writes for it are one system, and no rule stands twice.
"""
