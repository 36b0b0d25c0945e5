"""Statistics of conversations: pure functions from numbers to estimates. The only place that loads numpy and scipy."""
