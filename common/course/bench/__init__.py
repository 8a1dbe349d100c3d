"""What ./course bench is made of.

The *conductor* asks two *workers*, one request at a time, and shows progress. It collects raw
samples and applies no rule: noise, verdicts and what is possible are in ``evidence``.

- worker: a process that answers, and how it is ended
- plan: what is measured, and with which instruments
- conductor: the steps, in order
- draft: the record, but for what ``evidence`` adds
- report: what is printed, from a record alone; rows, time_table, error_table: its parts
"""
