"""What all tabs share: services, sessions, access, events, links, the shelf of campaigns."""
