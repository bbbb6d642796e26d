"""What all tabs share: services, sessions, access, events, scripts, links, campaigns."""
