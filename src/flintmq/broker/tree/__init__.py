"""Message trees: elements, types, the assembly that travels between nodes, headers, recorded assemblies.

types.py      numbers of field types and the families that a path matches
element.py    Element, lazy children, paths (compiled)
"""
