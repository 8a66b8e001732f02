"""Executors for a build's tasks: in this process, in other processes of this machine, or on a cluster."""
