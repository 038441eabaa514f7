"""Tools of the working copy: building, testing, releasing. Standard library only; none is installed."""
