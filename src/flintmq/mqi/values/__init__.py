"""The constants of MQ, one file per purpose. Programs import them from the three modules above this package.

    constants          calls, structures, attributes, attribute_values         what an MQI program uses
    pcf_constants      commands, parameters, channel_attributes, counters,
                       command_values, command_reasons                         what an administration program uses
    channel_constants  channels, channel_attributes, exits, services           what a channel, an exit or a service uses

Inside a file, families stand together under one line that says where they are used; in a family the order is that of
the values. A number never changes and is never used again. Reason codes of the MQI are in `flintmq.mqi.reason`.
"""
