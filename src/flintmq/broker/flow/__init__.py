"""Message flows: definitions, archives, and the engine.

    model.py           a flow as its file defines it: nodes, wires, promoted and user-defined properties
    xmi.py             `.msgflow` and `.subflow` files, read and written without loss
    yaml_form.py       the same flow as YAML (yaml_writer.py, safe_yaml.py)
    cmf.py             compiled flows of old BAR files
    node_types.py      terminals, properties and their defaults (node_catalogue.py, node_*.py)
    archive.py         archives inside archives, within limits
    deployment.py      deployment descriptors and override files
    bar.py             BAR files
    descriptors.py     descriptors of projects, policies (rest_api.py: REST APIs)
    application.py     one application or library (files.py: on disk or in an archive)
    project.py         everything that a directory or a BAR holds, and the scope of each part of it
    resolve.py         effective properties of every node, subflows expanded
    checks.py          problems of a definition
    command.py         `flint flow convert` and `flint flow bar`

    engine.py          nodes, wires, and how a message travels (nodes/: the nodes)
    runtime.py         a flow that can run
    ending.py          which output nodes end their flow
    services.py        effects of nodes on the outside, and the recorder that keeps them
    function.py        a flow as a function
    outputs.py         results of a flow as files: written, compared
    testing.py         recorded cases, single nodes, fakes
    lint.py            the checks of ESQL with the nodes that run it, and those of flows
    command_run.py     `flint flow run`
    command_check.py   `flint flow test`, `flint flow esql` and `flint flow lint`

The files of the first part define and load flows; they run nothing. The engine takes the resolved flows of resolve.py.
"""
