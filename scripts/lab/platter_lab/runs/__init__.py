# SPDX-License-Identifier: Apache-2.0
"""Runs of the model: what is run (`point`), where (`executor`), what is kept of it (`store`), and
all of it together (`runner`).
"""
