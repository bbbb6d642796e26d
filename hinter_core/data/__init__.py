"""Data sets as rows: files of many formats, the Hugging Face Hub, handwritten mutants."""
