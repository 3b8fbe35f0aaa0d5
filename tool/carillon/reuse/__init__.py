# SPDX-License-Identifier: Apache-2.0
"""What of an earlier build still holds: object files (:mod:`.objects`), and the build as a whole (:mod:`.whole`)."""
