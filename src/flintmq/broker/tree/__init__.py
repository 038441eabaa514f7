"""Message trees: elements, types, the assembly that travels between nodes, headers, recorded assemblies.

types.py               numbers of field types and the families that a path matches
element.py             Element, lazy children, paths (compiled)
assembly.py            Assembly: message, local environment, environment, exception list; exceptions as trees
headers.py             parse_message, write_message: a message of MQ and its tree, with the rules of the way back
  properties.py        the folder Properties
  descriptor.py        MQMD
  header_fields.py     names, order and types of the fields of the other headers
  header_structures.py MQRMH and MQSAPH, which the MQI vocabulary lacks
  header_chain.py      the chain of headers, from Format to Format
  rfh2.py              folders of MQRFH2
  message_writer.py    the way back to a descriptor and bytes
mxml.py                recorded assemblies, read, written and compared
difference.py          where two trees differ
view.py                TreeView, the read-only face for Python programs
"""
