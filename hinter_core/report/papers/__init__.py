"""Tables of the papers that stand beside the main ones."""
