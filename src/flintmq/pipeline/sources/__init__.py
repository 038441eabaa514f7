"""Data sources, by PySpark's Python Data Source API: smf.py reads SMF dumps, as a batch and as a stream."""
