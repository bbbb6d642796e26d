"""Data sets as rows: files of many formats, the Hugging Face Hub, mutants written by hand."""
