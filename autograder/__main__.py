"""``python -m autograder``: the command line."""

from autograder.cli.main import main

if __name__ == "__main__":
    main()
