"""What a right program emits: a pure-Python model of the rules of Spark 4.3, compared with Spark by tests/oracle."""

from autograder.oracle.dstreams import (
    count_by_window,
    per_batch,
    reduce_by_key,
    reduce_by_key_and_window,
    reduce_by_window,
    update_state_by_key,
    windowed,
)
from autograder.oracle.kafka import Fact, Record, Topic, fact, valid_name
from autograder.oracle.kafka_cluster import Cluster, StoppedError
from autograder.oracle.modes import allowed_modes, reasons
from autograder.oracle.mutations import Mutation, mutations
from autograder.oracle.operation_mutations import OperationMutation, operation_mutations
from autograder.oracle.operations import Operation, changing_operations
from autograder.oracle.plan import Aggregate, Deduplicate, Each, Query, Row, Session, Top, Value, Watermark, Window
from autograder.oracle.structured import CRASH, RESTART, Batch, replay
from autograder.oracle.time import duration, in_words

__all__ = [
    "CRASH",
    "RESTART",
    "Aggregate",
    "Batch",
    "Cluster",
    "Deduplicate",
    "Each",
    "Fact",
    "Mutation",
    "Operation",
    "OperationMutation",
    "Query",
    "Record",
    "Row",
    "Session",
    "StoppedError",
    "Top",
    "Topic",
    "Value",
    "Watermark",
    "Window",
    "allowed_modes",
    "changing_operations",
    "count_by_window",
    "duration",
    "fact",
    "in_words",
    "mutations",
    "operation_mutations",
    "per_batch",
    "reasons",
    "reduce_by_key",
    "reduce_by_key_and_window",
    "reduce_by_window",
    "replay",
    "update_state_by_key",
    "valid_name",
    "windowed",
]
