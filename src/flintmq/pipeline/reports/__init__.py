"""Reports over the tables: what the performance reports and the supplied formatters show, from records.

model.py      a report as data: sentences, tables, charts; nothing of Spark, nothing of a layout
"""
