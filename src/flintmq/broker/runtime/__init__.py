"""The run time of the broker: processes, execution groups, data sources and coordinated transactions."""
