"""The command line as processes of their own, which the app starts, watches and stops."""
