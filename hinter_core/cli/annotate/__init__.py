"""``hinter annotate``: projects, files and agreement."""
