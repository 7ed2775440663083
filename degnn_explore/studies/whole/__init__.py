"""Whole studies: a table of graphs, tasks and models as data, executed where the store has gaps, and shown.

May import the other modules of ``studies`` and what they may. Begin with ``study.py``; ``asked.py`` is what a file may
say, ``cells.py`` what is to be run next, ``running.py`` the loop, ``crew.py`` who trains.
"""
