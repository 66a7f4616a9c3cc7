"""What a student reads about a failure: one sentence what, one line to try. Listed for readers in docs/outcomes.md."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.model import Outcome


@dataclass(frozen=True)
class Message:
    """``what`` and ``hint`` may name {call}, {name}, {text} and {error}. ``judge.advice`` knows more exact ones for some texts."""

    what: str
    hint: str
    outcome: Outcome = Outcome.ERROR


MESSAGES = {
    "missing": Message("There is no file {text}.", "Give the path of your file, or run the command in its folder."),
    "not_a_file": Message("{text} is not a regular file.", "Hand in the .py or .ipynb file itself."),
    "not_a_notebook": Message("The notebook cannot be read: {text}.", "Hand in the .ipynb file as Jupyter saves it."),
    "two_files": Message("{text} are both worked in.", "Hand in the one that counts, and leave the other one as it was."),
    "empty": Message("The file is empty.", "Start from the skeleton of the assignment."),
    "too_big": Message("The file is larger than {text}.", "Hand in the program alone, without data."),
    "not_utf8": Message("The file is not UTF-8 text ({text}).", "Save it as UTF-8."),
    "syntax": Message("Python cannot read the file: {text}.", "Fix this line; `python -m py_compile FILE` shows it too."),
    "missing_module": Message("The module {text!r} is not installed here.", "Use what the handout names, and the standard library."),
    "raised_on_import": Message(
        "The file raises {error} when it is loaded: {text}", 'Put what runs the program under `if __name__ == "__main__":`.'
    ),
    "no_function": Message("There is no function {name}.", "Define {call}, spelled exactly so; your file has: {text}."),
    "wrong_parameters": Message("The function is called as {call}, but yours is {text}.", "Keep the parameters of the skeleton."),
    "not_written": Message("{name} is not written yet.", "Replace the line that raises NotImplementedError.", Outcome.FAILED),
    "raised": Message("{name} raises {error}: {text}", "The line is where your code stood; read the message from its end."),
    "refused": Message("Spark refuses the query: {text}", "Read the reason: it names what this query may not do."),
    "returned_none": Message("{name} returns None.", "Return the {text} at the end of the function."),
    "returned_batch": Message(
        "{name} returns a batch DataFrame, not a stream.", "Build the result from the stream that the function is given."
    ),
    "returned_other": Message("{name} returns a {text}.", "Return what the handout says."),
    "started": Message(
        "The query was started in your code ({text}).", "Return the stream and leave the start to the grader; start it in the main part."
    ),
    "awaited": Message(
        "Your code waits for the stream to end ({text}).", 'A stream never ends: wait only under `if __name__ == "__main__":`.'
    ),
    "stopped": Message("Your code stops Spark ({text}).", "Leave the session running: it is not yours to stop."),
    "batch_action": Message(
        "{name} calls an action such as collect() or show() on a stream.", "A stream has no end to collect: return it."
    ),
    "other_checkpoint": Message(
        "The checkpoint folder is not the one that {name} is given.", "Pass `checkpoint` on as it is: the grader looks there."
    ),
    "raised_at_step": Message("The query died with {error}: {text}", "Look at this step's rows, and at what the code does with them."),
    "raised_in_task": Message(
        "Your function raised {error} while rows were processed: {text}", "Look at this step's rows: which one does the code not expect?"
    ),
    "wrong_elements": Message("An element of the result is {text}.", "Each element is a tuple as in the handout."),
    "too_many_tables": Message("The store has several tables: {text}.", "Keep the one that is asked for; begin other names with _."),
    "too_many_rows": Message("One trigger emitted {text} rows.", "Look for a join or an explode that multiplies rows."),
    "timeout": Message(
        "It did not finish within {text} seconds.", "Look for an endless loop, input(), sleep() or a wait for something.", Outcome.TIMEOUT
    ),
    "exited": Message("The program ended its own process {text}.", "Take out exit(), os._exit() and the like."),
    "killed_engine": Message("Spark was shut down while your code ran.", "Do not stop Spark or its JVM."),
    "cpu_time": Message("It used more than {text} seconds of processor time.", "Look for an endless loop.", Outcome.TIMEOUT),
    "submission_time": Message(
        "The whole submission may take {text} seconds, and they were over.", "Look at the checks that timed out.", Outcome.TIMEOUT
    ),
    "out_of_memory": Message("It needs more memory than it may use.", "Look for a list or a join that grows.", Outcome.OUT_OF_MEMORY),
    "too_many_processes": Message(
        "It starts more processes or threads than it may.", "Start none: Spark and Kafka bring their own.", Outcome.TOO_MANY_PROCESSES
    ),
    "too_many_files": Message(
        "It has more files and connections open than it may.", "Close what you open: `with open(…)`.", Outcome.TOO_MANY_FILES
    ),
    "disk_full": Message("It writes or prints more than it may.", "Keep rows in the stream: write no files.", Outcome.TOO_MUCH_OUTPUT),
    "too_much_output": Message(
        "The result is larger than the grader reads.", "Emit only the rows that are asked for.", Outcome.TOO_MUCH_OUTPUT
    ),
    "too_much_to_judge": Message(
        "To judge what came back takes more memory or time than a submission may use.",
        "Emit only the rows that are asked for.",
        Outcome.TOO_MUCH_OUTPUT,
    ),
    "unreadable_topic": Message("The topic is gone, or has records that cannot be read.", "Send records with the producer as it is."),
    "killed_brokers": Message(
        "A broker ended while your code ran on it, and ended again when nothing else did.", "Make and send only what the task asks for."
    ),
    "killed_replay": Message("Your code ended the process that replays it.", "Do not interfere with the grader's own code."),
    "broken_observation": Message("What came back from the replay is not a result.", "Do not interfere with the grader's own code."),
}

#: Failures of the file as a whole: no function of it could be called.
WHOLE_FILE = frozenset(
    {"missing", "not_a_file", "not_a_notebook", "two_files", "empty", "too_big", "not_utf8", "syntax", "missing_module", "raised_on_import"}
)
#: Failures before a function was called: on which fixture says nothing.
NEVER_CALLED = WHOLE_FILE | {"no_function", "wrong_parameters"}
#: The kind of every error of a hidden check, as students see it.
ERROR = "error"
#: What is told of a fault of ours. Its own text follows after a colon, for the instructor's report alone.
FAULT = "The grader failed, not your program"


def without_fault(message: str) -> str:
    """A check's message as it is shown: of a fault of ours that there was one, without its text."""
    return f"{FAULT}." if message.startswith(f"{FAULT}:") else message


def kind_of_error(name: str, kind: str) -> str:
    """What happened to a function, without a word of its own: an error's name and text could carry hidden rows."""
    if kind == ERROR:
        return f"{name} ended with an error."
    return MESSAGES[kind].what.format(call=name, name=name, text="…", error="an error") if kind in MESSAGES else ""


def kind_of_outcome(outcome: Outcome) -> str:
    """The one kind that stands for all that end so, where more must not be told; empty where a replay came to its end."""
    if outcome is Outcome.ERROR:
        return ERROR
    return next((kind for kind, message in MESSAGES.items() if message.outcome is outcome and outcome is not Outcome.FAILED), "")
