"""The kinds of objects, each declared once: attributes, names, numbers, messages, default object, authorities.

    kind.py              the declaration of a kind
    kinds/               a file for each kind of object; kinds/__init__.py finds them
    rules.py             authority records and channel authentication records, which are set and not defined
    parameters.py        the parameters of SET SYSTEM, SET LOG and ALTER SECURITY, which belong to no object
    attributes.py        tables made from these: by kind, by keyword, by selector
    attribute.py         what an attribute is, and the values that it takes
    attribute_makers.py  short functions that write an attribute; words.py, limits.py: what several share
    attribute_pcf.py     an attribute and its value as PCF parameters
    authorities.py       the authorities that a record can give, by type of object
    profile.py           the objects that an authority record is for

The objects of a running queue manager are in qmgr/catalogue.py; what a change of an object does there, in the hooks of
qmgr/admin_hooks.py.
"""
