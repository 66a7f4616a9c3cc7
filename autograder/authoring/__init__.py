"""For authors: skeletons and handouts out of the one source, and the proof of the kit."""
