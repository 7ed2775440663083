"""Asking trained models: about a picked set, why they say so, and what if an edge were not there.

May import the board's texts and figures and everything below. Begin with ``ask.py``.
"""
