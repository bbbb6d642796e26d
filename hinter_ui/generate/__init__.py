"""The Generate tab: a grammar is chosen or written, checked, and its sentences are drawn."""
