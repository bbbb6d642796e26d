"""The public Python API; ``import hinter_core as hinter`` shows it. Modules in here are private."""
