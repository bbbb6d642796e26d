"""Files of tables, read: packing, encoding, format, separators, and what columns hold."""
