"""Plug FlintMQ into frameworks that bring their own contract for brokers.

    kombu/        a transport for Kombu, and so a broker for Celery
    faststream/   a broker for FastStream

An integration is imported only by a program that has the framework installed.
"""
