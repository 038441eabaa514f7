"""The directory that Spark's Python workers find first on their path, so that they start sooner.

sitecustomize.py    Python imports it before anything else, in every worker of a session that `pipeline.session` started
"""
