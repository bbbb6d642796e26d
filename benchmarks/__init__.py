"""The published algorithms written plainly, and timings of the fast path against them."""
