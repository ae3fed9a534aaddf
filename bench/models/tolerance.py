# SPDX-License-Identifier: Apache-2.0
"""How far two results are apart."""

import numpy as np


def largest_error(got, want):
    """Largest difference as a share of the largest magnitude of want."""
    if not want.size:
        return 0.0
    return float(np.abs(got.astype(np.float64) - want).max() / (np.abs(want).max() or 1))
