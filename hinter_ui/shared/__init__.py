"""Parts that all tabs use: services, sessions, access, events, scripts, links, campaigns."""
