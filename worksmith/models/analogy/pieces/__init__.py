"""Finding the piece of a text that plays the part of a demonstrated one."""
