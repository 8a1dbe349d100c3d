"""The peers that are written in Python: a worker process that measures PyTorch and Triton.

``python -B -m peers.worker LADDER --library PATH`` answers the requests of ``rungs-worker/1``, one
line of JSON each. What a ladder is compared with stands in ``lessons/LADDER/peers.py``.
Standard library only, but for torch and triton, which may be missing.
"""
