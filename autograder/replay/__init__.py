"""The untrusted side: runs a submission on a real engine, step by step, and writes down what came out.

Imports neither oracle nor judge nor anything of the solutions (checked by import-linter).
"""
