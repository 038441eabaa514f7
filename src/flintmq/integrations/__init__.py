<<<<<<< HEAD
"""Transports and brokers for other frameworks, over the public client API."""
=======
"""Plug FlintMQ into frameworks that bring their own contract for brokers.

    kombu/     a transport for Kombu, and so a broker for Celery

Each integration uses the public client API only, and is imported only by a program that has the framework installed.
"""
>>>>>>> kombu
