"""What a student handed in: the program in it, and whose it is."""
