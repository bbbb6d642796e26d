"""A campaign: its settings, its directory of Parquet files, its work, and how it is read."""
