"""Data sets as rows, from files and the Hugging Face Hub; handwritten mutants; tables written."""
