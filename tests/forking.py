"""Child processes that start in milliseconds: forked by a server that imported the engines and never used them.

There is one such server a test process, whoever asks first: what it imports beforehand is said here for all.
"""

import multiprocessing

PRELOADED = [
    "command.build",
    "command.releases",
    "pipeline.publish.rollback",
    "tests.edge.limits.test_mapped_store",
    "tests.faults.commands",
    "tests.faults.warm",
    "tests.release.test_crashes",
]
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(PRELOADED)
