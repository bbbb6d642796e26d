"""Templates of real texts (BiasFinder): mined, written by hand, and filled by class."""
