"""Message flows: definitions, archives, and what runs them.

    model.py           a flow as its file defines it: nodes, wires, promoted and user-defined properties
    xmi.py             `.msgflow` and `.subflow` files, read and written without loss
    yaml_form.py       the same flow as YAML (yaml_writer.py, safe_yaml.py)
    cmf.py             compiled flows of old BAR files
    node_types.py      what each node type has: terminals, properties and their defaults (node_catalogue.py, node_*.py)
    archive.py         archives inside archives, within limits
    deployment.py      deployment descriptors and override files
    bar.py             BAR files
    descriptors.py     what describes a project, policies (rest_api.py: REST APIs)
    application.py     one application or library (files.py: on disk or in an archive)
    project.py         everything that a directory or a BAR holds, and what each part of it sees
    resolve.py         effective properties of every node, subflows expanded
    checks.py          what is wrong with a definition
    command.py         `flint flow convert` and `flint flow bar`

    engine.py          nodes, wires, and how a message travels (nodes/: the nodes)
    runtime.py         a flow that can run
    ending.py          which output nodes end their flow
    services.py        what nodes do to the outside, and the recorder that keeps it
    function.py        a flow as a function
    outputs.py         what a flow did, as files: written, compared
    testing.py         recorded cases, single nodes, fakes
    lint.py            the checks of ESQL with the nodes that run it, and those of flows
    command_run.py     `flint flow run`
    command_check.py   `flint flow test`, `flint flow esql` and `flint flow lint`

The files of the first part define and load flows; they run nothing. The engine takes what resolve.py makes of a flow.
"""
