"""The untrusted side: runs a submission on a real engine, step by step, and writes down what it emitted.

It imports nothing of the kit but the wire and the machine (checked by import-linter).
"""
