"""Learning by doing: guided tours of the Explorer, and questions to answer before looking.

May import ``widgets`` and below; a lesson drives whatever Explorer it is handed. Begin with ``tours.py``.
"""
