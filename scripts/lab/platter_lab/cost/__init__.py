# SPDX-License-Identifier: Apache-2.0
"""What a scheduling engine costs, for sweeps and searches."""
