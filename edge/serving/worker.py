"""A worker: one of the processes that answer requests. Workers share only the cache folder."""

import logging
import os
import sys
from pathlib import Path

import structlog
from structlog.typing import Processor

from edge.app import MEMORY_BYTES, Edge, read_clock
from edge.client_addresses import TrustedProxies, VisitorKey
from edge.limits.limiter import LOCAL, open_limits
from edge.releases import RollbackGuard
from edge.respond import LocateFile
from edge.services.forecasts import open_forecasts
from edge.services.geocoder import open_geocoder
from edge.usage import AccessLog, UsageRecorder, open_ledger
from outings.configuration import read_configuration, read_size, split_secrets
from outings.contract.pricing_plans import Offer
from outings.release.store import Store, open_configured_store
from outings.release.trust import read_reader


def make_served_edge(
    config: Path,
    *,
    memory: int = MEMORY_BYTES,
    access_log: bool = False,
    store: Store | None = None,
    locate_file: LocateFile = lambda *_: None,
) -> Edge:
    """Make a worker's application from the configuration, which each worker reads itself, as a separate process.

    With `access_log` each request is logged on standard error. A cloud function passes its `store` and `locate_file`;
    metros are then opened when they are requested, not ahead.
    """
    set_up_logs()
    configuration = read_configuration(config, os.environ)
    edge, site, is_function = configuration.edge, configuration.site, store is not None
    store = store or open_configured_store(configuration.store)
    trust, proxies = read_reader(configuration.signing), TrustedProxies(edge.trusted_proxies)
    return Edge(
        store,
        cache=edge.cache,
        memory=memory,
        offer=Offer(plans=configuration.plans.make_plans(), upgrade_url=edge.upgrade_url, docs_url=edge.docs_url),
        proxies=proxies,
        limits=open_limits(edge.rate_storage, state=edge.state),
        usage=UsageRecorder(
            ledger=open_ledger(edge.state, is_required=edge.rate_storage == LOCAL),
            access_log=AccessLog(sys.stderr.fileno()) if access_log else None,
            shows_keys=edge.usage_metrics,
        ),
        geocoder=open_geocoder(configuration.geocoder),
        forecasts=open_forecasts(configuration.weather, clock=read_clock),
        trust=trust,
        calendar_secrets=split_secrets(edge.calendar_secrets),
        locate_file=locate_file,
        visitors=None if site is None else VisitorKey(text=site.key, per_minute=site.key_per_minute),
        rollback_guard=RollbackGuard(edge.state) if trust.believed else None,
        metros=edge.metros,
        metro_memory=read_size(edge.memory) if edge.memory else None,
        is_ahead=not is_function,
    )


def set_up_logs() -> None:
    """Log as JSON lines on standard error, from all packages. Call it once a process: a logger keeps the first
    configuration that it was used with."""
    if structlog.is_configured():
        return
    processors: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    render = structlog.processors.JSONRenderer(separators=(",", ":"))
    shared = logging.StreamHandler(sys.stderr)
    shared.setFormatter(structlog.stdlib.ProcessorFormatter(processor=render, foreign_pre_chain=processors))
    logging.getLogger("outings").addHandler(shared)
    structlog.configure(
        processors=[*processors, render],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
