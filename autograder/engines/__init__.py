"""The engines that replay a fixture, behind one interface: ``base.Engine``. Only this package tells them apart."""

from autograder.engines.registry import drives, engine, names, register

__all__ = ["drives", "engine", "names", "register"]
