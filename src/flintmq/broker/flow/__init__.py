"""Message flows: definitions, archives, and what runs them.

model.py         a flow as its file defines it: nodes, wires, promoted and user-defined properties
xmi.py           `.msgflow` and `.subflow` files, read and written without loss
yaml_form.py     the same flow as YAML
cmf.py           compiled flows of old BAR files
node_types.py    what each node type has: terminals, properties and their defaults
bar.py           BAR files, deployment descriptors and overrides
project.py       applications and libraries: a directory, or what a BAR holds
resolve.py       effective properties of every node, subflows expanded
"""
