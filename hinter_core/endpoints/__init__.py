"""What programs call, over HTTP or MCP: a few functions with short answers in JSON."""
