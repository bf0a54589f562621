# SPDX-License-Identifier: Apache-2.0
"""Types of NumPy's arrays, by what they hold; their shapes are in comments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.integer]
Floats = NDArray[np.float64]
