"""Common ground: errors, limits, stopping, running in parallel, files, the palette of distances.

Imports nothing of ours. Begin with ``errors.py``: one sentence says how every error here reads.
"""
