"""The report as JUnit XML: a test case a check, points as properties."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from autograder.model import CheckReport, Outcome, Report
from autograder.reports.terminal import number, one_line

#: What XML 1.0 cannot carry.
_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAILURES = {
    Outcome.FAILED,
    Outcome.TIMEOUT,
    Outcome.OUT_OF_MEMORY,
    Outcome.TOO_MANY_PROCESSES,
    Outcome.TOO_MANY_FILES,
    Outcome.TOO_MUCH_OUTPUT,
}
_ERRORS = {Outcome.ERROR, Outcome.GRADER_ERROR}


def to_junit(report: Report) -> str:
    """The report in the xunit2 form that pytest writes, without times (they are no part of a report)."""
    outcomes = [check.outcome for check in report.checks]
    counts = {
        "tests": len(outcomes),
        "failures": sum(outcome in _FAILURES for outcome in outcomes),
        "errors": sum(outcome in _ERRORS for outcome in outcomes),
        "skipped": outcomes.count(Outcome.SKIPPED),
    }
    root = ElementTree.Element("testsuites", name="autograder")
    suite = ElementTree.SubElement(root, "testsuite", {"name": report.slug, **{name: str(count) for name, count in counts.items()}})
    _properties(
        suite,
        {"student": report.student, "submission": report.submission, "points": number(report.points), "max_points": str(report.max_points)},
    )
    for check in report.checks:
        _case(suite, report.slug, check)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, slug: str, check: CheckReport) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=f"{slug}.{check.function}", name=check.id)
    visibility = "hidden" if check.hidden else "visible"
    _properties(case, {"says": check.says, "points": number(check.points), "max_points": str(check.max_points), "visibility": visibility})
    text = _clean(check.message or check.outcome.value)
    if check.outcome in _FAILURES:
        ElementTree.SubElement(case, "failure", message=text).text = _clean(_body(check))
    elif check.outcome in _ERRORS:
        ElementTree.SubElement(case, "error", message=text).text = _clean(_body(check))
    elif check.outcome is Outcome.SKIPPED:
        ElementTree.SubElement(case, "skipped", message=text)


def _body(check: CheckReport) -> str:
    parts = [check.diagnosis, f"Try: {check.hint}" if check.hint else ""]
    for evidence in check.evidence:
        parts.append(f"{evidence.fixture}: {evidence.says}")
        parts.append(f"  expected: {'; '.join(map(one_line, evidence.expected))}")
        parts.append(f"  got: {'; '.join(map(one_line, evidence.got))}")
    return "\n".join(filter(None, parts))


def _properties(parent: ElementTree.Element, values: dict[str, str]) -> None:
    properties = ElementTree.SubElement(parent, "properties")
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=_clean(value))


def _clean(text: str) -> str:
    return _ILLEGAL.sub("�", text)
