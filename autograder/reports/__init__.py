"""Writers of the one report, one a file; they know nothing else."""
