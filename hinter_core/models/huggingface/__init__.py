"""Hugging Face checkpoints as models under test."""
