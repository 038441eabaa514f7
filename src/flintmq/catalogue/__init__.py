"""The kinds of objects: their attributes, numbers, default objects and authorities.

    attribute.py         what an attribute is, and the values that it takes
    attribute_makers.py  short functions that write an attribute
    attributes.py        the attributes of each kind; attributes_security.py, attributes_services.py
    attribute_pcf.py     an attribute and its value as PCF parameters
    authorities.py       the authorities that a record can give
    profile.py           the objects that an authority record is for

The objects of a running queue manager are in qmgr/catalogue.py.
"""
