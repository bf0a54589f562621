# SPDX-License-Identifier: Apache-2.0
"""Shortest seek time first: the nearest cylinder."""

import numpy as np
from platter_lab.policy import Policy


class Sstf(Policy):
    description = "the nearest cylinder"

    def pick(self, queue, head, now):
        return queue.tag[np.abs(queue.cylinder - head.cylinder).argmin()]
