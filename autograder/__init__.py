"""Auto-graded assignments for data stream processing: deterministic replay on real engines, judged by an oracle."""

__version__ = "0.1.0"
