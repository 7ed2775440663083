"""Work on a Dask cluster: who is connected to, what its workers must have, and what they are given to do.

May import the other modules of ``studies`` but not ``whole``. Begin with ``connection.py``; ``runs.py`` and
``answers.py`` are what workers do.
"""
