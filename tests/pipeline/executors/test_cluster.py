"""A build on a Dask cluster: the same bytes as by processes, or an error; whatever becomes of its workers."""

import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

import pipeline.executors.cluster
from command import main
from command.sample_cities import write_world
from command.sample_cities.geography import METROS
from pipeline.executors.cluster import ClusterError, describe_program, explain_difference, open_cluster, parse_cluster
from tests.faults.whole import check_current
from tests.faults.worlds import MONDAY, clock_of, copy_world, write_round
from tests.pipeline.executors.cluster import Cluster, start_cluster
from tests.ports import find_free_port

pytestmark = pytest.mark.xdist_group("dask")  # one worker starts the cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with start_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two metros of few listings."""
    config = write_world(tmp_path_factory.mktemp("unbuilt") / "outings.toml", today=MONDAY, size=6)
    write_round(config, 0)
    return config


@pytest.fixture(scope="module")
def four_metros(tmp_path_factory: pytest.TempPathFactory) -> Path:
    metros = [
        replace(metro, slug=f"{metro.slug}-{side}", alias=f"{metro.alias}{side}") for metro in METROS for side in "ab"
    ]
    return write_world(tmp_path_factory.mktemp("four") / "outings.toml", today=MONDAY, size=6, metros=metros)


def build(config: Path, *words: str, number: int = 0) -> Result:
    return CliRunner().invoke(main, ["build", "--json", "--as-of", clock_of(number), *words, "-c", str(config)])


def read_store(config: Path) -> dict[str, bytes]:
    store = config.parent / "var/store"
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*") if path.is_file()}


def check_failed(result: Result, *message: str, code: int = 1) -> None:
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert all(word in result.stderr for word in message), result.stderr
    assert "Traceback" not in result.stderr
    assert "--traceback" not in result.stderr


@pytest.mark.long
def test_a_cluster_of_two_workers_makes_the_same_bytes_as_processes(
    cluster: Cluster, unbuilt: Path, tmp_path: Path
) -> None:
    there, here = copy_world(unbuilt, tmp_path / "there"), copy_world(unbuilt, tmp_path / "here")
    for config, words in ((there, ("--executor", cluster.executor)), (here, ("--workers", "1"))):
        result = build(config, *words)
        assert result.exit_code == 0, result.output
    assert check_current(there.parent / "var/store") == 1
    assert read_store(there) == read_store(here)
    with cluster.connect() as client:
        done = client.run(lambda: "pipeline.publish.metro" in sys.modules)  # type: ignore[no-untyped-call]
    assert list(done.values()) == [True, True], "the work was done elsewhere"


@pytest.mark.long
def test_what_a_worker_refuses_is_reported_as_if_it_were_done_here(
    cluster: Cluster, unbuilt: Path, tmp_path: Path
) -> None:
    config = copy_world(unbuilt, tmp_path / "world")
    with config.open("a") as text:
        text.write(
            '\n[[feeds]]\nname = "classes"\nmetro = "seattle"\nformat = "table"\n'
            'url = "data/classes.csv"\nselect = "data/classes.sql"\n'
        )
    (config.parent / "data/classes.csv").write_text("number,title\n1,Pottery\n")
    (config.parent / "data/classes.sql").write_text("SELEC * FROM feed")
    results = [build(config, *words) for words in (("--executor", cluster.executor), ("--workers", "1"))]
    for result in results:
        check_failed(result, "classes.sql", "syntax error", code=2)
    assert not (config.parent / "var/store/current.json").exists()


def submit(cluster: Cluster, spool: Path) -> object:
    """Work of which nothing matters but where its scratch folder is."""
    with open_cluster(parse_cluster(cluster.executor)) as executor:
        return executor.submit(repr, SimpleNamespace(spool=spool)).result(timeout=60)


@pytest.mark.long
def test_a_worker_that_does_not_see_the_scratch_folder_is_reported(cluster: Cluster, tmp_path: Path) -> None:
    assert str(tmp_path) in str(submit(cluster, tmp_path))
    with pytest.raises(ClusterError, match=r"worker tcp://127\S+ does not see .* scratch folder /nowhere; all"):
        submit(cluster, Path("/nowhere"))


@pytest.mark.long
def test_a_worker_of_another_program_is_reported(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = {**describe_program(), "polars": "1.0"}
    monkeypatch.setattr(pipeline.executors.cluster, "describe_program", lambda: ours)
    with pytest.raises(ClusterError, match=r"runs another program than this build: polars 2\S+ there and 1.0 here"):
        submit(cluster, tmp_path)


def test_programs_are_the_same_by_python_sources_and_libraries() -> None:
    ours = describe_program()
    assert {"Python", "outings", "polars", "duckdb", "msgspec", "tzdata"} <= set(ours)
    assert not {"pytest", "redis", "mypy"} & set(ours)
    assert explain_difference(ours, dict(ours)) is None
    theirs = {name: text for name, text in ours.items() if name != "duckdb"}
    assert explain_difference(ours, theirs) == f"duckdb none there and {ours['duckdb']} here"


@pytest.mark.parametrize(
    "text", ["threads", "", "dask", "dask://", "dask://here", "dask://here:no", "dask://here:99999", "tcp://here:8786",
             "dask://user@here:8786", "dask://here:8786/path"],
)  # fmt: skip
def test_another_executor_is_exit_2_with_what_is_allowed(text: str, unbuilt: Path) -> None:
    check_failed(build(unbuilt, "--executor", text), f"--executor {text}: allowed: processes, or dask://", code=2)


def test_a_cluster_has_its_own_workers(unbuilt: Path) -> None:
    check_failed(build(unbuilt, "--executor", "dask://here:8786", "--workers", "2"), "the cluster has its own", code=2)


def test_where_no_scheduler_listens_it_is_reported_at_once(unbuilt: Path) -> None:
    began = time.monotonic()
    executor = f"dask://127.0.0.1:{find_free_port()}"
    check_failed(
        build(unbuilt, "--executor", executor), executor.removeprefix("dask"), "no Dask scheduler can be reached"
    )
    assert time.monotonic() - began < 30, "as long as Dask waits by itself"
    assert not (unbuilt.parent / "var/store").exists()


def test_what_is_no_scheduler_is_reported_in_bounded_time(unbuilt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes the connection, and says nothing."""
    monkeypatch.setattr(pipeline.executors.cluster, "REACH_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        result = build(unbuilt, "--executor", f"dask://127.0.0.1:{silent.getsockname()[1]}")
    check_failed(result, "no Dask scheduler answers there within 1 s")


@pytest.mark.long
def test_without_workers_a_build_ends_after_a_while(
    unbuilt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline.executors.cluster, "WORKER_SECONDS", 2.0)
    with start_cluster(tmp_path, workers=0) as empty:
        check_failed(build(unbuilt, "--executor", empty.executor), "no worker for 2 s; run the build again")


@contextlib.contextmanager
def killing(cluster: Cluster, *victims: int, once: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Kill the workers as soon as each is at work. New ones have to import what they need first."""
    over = threading.Event()

    def kill() -> None:
        with cluster.connect() as client:
            while not (once() and all(client.processing().values())):  # type: ignore[no-untyped-call]
                if over.wait(0.002):
                    return
        for victim in victims:
            cluster.processes[victim].kill()

    with ThreadPoolExecutor() as pool:
        killed = pool.submit(kill)
        try:
            yield
        finally:
            over.set()
    killed.result()
    assert all(cluster.processes[victim].poll() is not None for victim in victims), "the build was quicker"


@pytest.mark.long
@pytest.mark.parametrize("reported", [pytest.param("", id="at a feed"), pytest.param("(4 of 4)", id="at a metro")])
def test_a_worker_killed_at_its_work_leaves_it_to_another_and_the_bytes_as_they_are_on_one_machine(
    reported: str, four_metros: Path, tmp_path: Path
) -> None:
    """Command, scheduler and two workers are processes; none but the other worker can do what the killed one had."""
    config, alone = copy_world(four_metros, tmp_path / "world"), copy_world(four_metros, tmp_path / "alone")
    log = tmp_path / "progress"
    log.touch()
    with start_cluster(tmp_path, workers=2) as cluster, killing(cluster, 1, once=lambda: reported in log.read_text()):
        words = ("build", "--as-of", clock_of(0), "--executor", cluster.executor, "-c", str(config))
        with log.open("w") as progress:
            ended = subprocess.run([sys.executable, "-m", "command", *words], stderr=progress, check=False)
    assert ended.returncode == 0, log.read_text()
    assert build(alone, "--workers", "1").exit_code == 0
    stored = read_store(config)
    assert "current.json" in stored
    assert stored == read_store(alone)


@pytest.mark.long
@pytest.mark.parametrize(("victims", "message"), [((0,), "the scheduler was lost"), ((1, 2), "no worker for 2 s")])
def test_a_cluster_that_is_lost_ends_the_build_and_nothing_is_published(
    victims: tuple[int, ...], message: str, unbuilt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline.executors.cluster, "WORKER_SECONDS", 2.0)
    config = copy_world(unbuilt, tmp_path / "world")
    with start_cluster(tmp_path, workers=2) as cluster, killing(cluster, *victims):
        check_failed(build(config, "--executor", cluster.executor), message)
    assert not (config.parent / "var/store/current.json").exists()
