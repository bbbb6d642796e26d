"""The tabs of the app: one module a tab, each with one function ``build(services)``."""
