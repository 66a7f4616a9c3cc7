"""What an assignment is made of, read from its files and refused with file and line."""
