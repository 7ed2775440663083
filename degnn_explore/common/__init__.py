"""Common ground: errors, running in parallel, the palette of distances.

Imports nothing of ours. Begin with ``errors.py``: one sentence says how every error here reads.
"""
