"""Grammatical validity: are sentences acceptable English, and are mutants as much as originals?"""
