"""From a submission to a report: the answer key, replays in waves, and what a student may see of it."""
