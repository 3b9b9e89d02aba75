"""A log as tables and a chart."""
