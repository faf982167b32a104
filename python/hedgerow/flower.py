"""A job of a federation by way of Flower: owners are ClientApps, the coordinator is a ServerApp, and the SuperLink carries their packets in place of a broker.

    from hedgerow.flower import client_app, server_app
    client = client_app()                       # the owner file that the SuperNode names: --node-config 'owner="/srv/north/owner.yaml"'
    server = server_app('/srv/coordinator/job.yaml', '/srv/coordinator/model.json')

Packets are sealed and signed as over a broker: SuperLink and SuperNodes see who sends to whom, sizes and times (docs/how-to/flower.md). Needs flwr."""
from __future__ import annotations

import collections
import logging
import os
import threading
import time
from typing import Any, Callable, Union

from ._jobs import jobs
from ._work import Work
from .coordinator import JobResult, coordinate
from .errors import ArgumentError
from .owner import Owner

try:
    from flwr.app import ConfigRecord, Context, Message, RecordDict
    from flwr.clientapp import ClientApp
    from flwr.serverapp import Grid, ServerApp
except ImportError as error:
    raise ImportError('hedgerow.flower needs Flower: pip install "flwr>=1.42"') from error

__all__ = ['client_app', 'server_app']

LOG = logging.getLogger('hedgerow')
RECORD = 'hedgerow'
NODES = 5.       # seconds from one look at the nodes to the next
PULL = .5        # and at the replies
SHORTEST, LONGEST = 1., 10.  # between two messages without packets to one node
LAST = 60.       # for what is left when the job is over
VALID = 3600.    # a message, and so the longest work of an owner without a word

Place = Union[str, 'os.PathLike[str]', Callable[[Context], Any], None]


def client_app(owner: Place = None, *, table: Callable[[Context], Any] | None = None, n_jobs: int = -1) -> ClientApp:
    """An owner. owner: its owner file, or a function that gives the file for the context of a node; None: the node's configuration names it, `owner`. table:
    a function that gives the records in place of those that the file names, as `Owner` takes them. n_jobs: threads of a training.

    Each message is a life of the owner: it opens its files, takes the packets, works until nothing is left to do, and answers with the packets that go out.
    Ledger, journal and policy are those of `hedgerow serve`; a process that is killed continues at the next message. What an owner logs goes to the error output
    of its node, unless the logger 'hedgerow' has a handler; of a failure the reply has no word."""
    app = ClientApp()

    @app.query()  # type: ignore[untyped-decorator]
    def query(message: Message, context: Context) -> Message:
        came = _read_packets(message)
        name = ''
        packets: list[tuple[str, bytes]] = []
        if all(isinstance(handler, logging.NullHandler) for handler in LOG.handlers):
            LOG.addHandler(logging.StreamHandler())
        try:
            served = Owner(str(_value(owner, context, context.node_config, 'owner')), None if table is None else table(context))
            name = served.name
            packets = _answer(served, came, n_jobs)
        except Exception:  # its text may have a cell of a record
            LOG.exception('the owner of this node cannot work')
        return Message(RecordDict({RECORD: ConfigRecord({'name': name, 'to': [to for to, _ in packets], 'packets': [packet for _, packet in packets]})}), reply_to=message)
    return app


def server_app(job: Place = None, result: Place = None, *, on_result: Callable[[JobResult], Any] | None = None) -> ServerApp:
    """The coordinator. job: the job file; result: the file to write, as `coordinate` has them; each may be a function of the context; None: the run's
    configuration names it, `job` and `result`. on_result: called with the result.

    A run that is stopped or killed continues when it is started again with the same files. A run fails as `coordinate` does. Flower keeps at the SuperLink what a
    ServerApp prints: lines of the log go to handlers of the logger 'hedgerow' alone, which has none of its own."""
    app = ServerApp()

    @app.main()  # type: ignore[untyped-decorator]
    def main(grid: Grid, context: Context) -> None:
        file = str(_value(job, context, context.run_config, 'job'))
        carrier = _GridCarrier(grid, file)
        try:
            made = coordinate(file, str(_value(result, context, context.run_config, 'result')), carrier=carrier)
        finally:
            carrier.finish()
        if on_result is not None:
            on_result(made)
    return app


def _value(given: Place, context: Context, config: Any, key: str) -> Any:
    value = config.get(key) if given is None else given(context) if callable(given) else given
    if value is None:
        raise ArgumentError('the configuration has no %r: give a file, or a function of the context.' % key)
    return os.fspath(value)


class _MessageCarrier:
    """The packets of one message to an owner, and those of its reply. Stops the owner when it would wait for more."""

    def __init__(self, came: list[bytes]) -> None:
        self.came, self.stop = collections.deque(came), threading.Event()
        self.sent: list[tuple[str, bytes]] = []

    def send(self, to: str, packet: bytes) -> bool:
        self.sent.append((to, packet))
        return True

    def receive(self, seconds: float) -> bytes | None:
        if self.came:
            return self.came.popleft()
        if seconds:
            self.stop.set()
        return None


def _answer(owner: Owner, came: list[bytes], n_jobs: int) -> list[tuple[str, bytes]]:
    if not came and not any(job.open for job in owner.jobs()):
        return []
    carrier = _MessageCarrier(came)
    work = Work(carrier.stop, carrier=carrier)
    owner._serve(work, owner._settings(work, None, n_jobs, None))
    return carrier.sent


def _are_all(kind: type, values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


def _read_packets(message: Message) -> list[bytes]:
    """Those of a message to an owner; none if it is not a coordinator's."""
    record = message.content.get(RECORD)
    packets: Any = record.get('packets') if isinstance(record, ConfigRecord) else None
    return packets if _are_all(bytes, packets) else []


def _read_reply(reply: Message) -> tuple[str, list[str], list[bytes]] | None:
    """The name of an owner, and receivers and packets, as many of the one as of the other. None: a node may answer anything, and this is something else."""
    record = reply.content.get(RECORD)
    if not isinstance(record, ConfigRecord):
        return None
    name, to, packets = (record.get(key) for key in ('name', 'to', 'packets'))
    if isinstance(name, str) and _are_all(str, to) and _are_all(bytes, packets) and len(to) == len(packets):
        return name, to, packets
    return None


class _Node:
    """A node, and the message that it has not answered."""

    def __init__(self) -> None:
        self.name, self.message = '', ''
        self.due, self.pause = 0., SHORTEST
        self.given: list[bytes] = []


class _GridCarrier:
    """The coordinator's packets as messages to nodes, one at a time to each. Packets of an owner for another one go the same way. What a node did not answer goes
    again, to any node of that owner."""

    def __init__(self, grid: Grid, job: str) -> None:
        self.grid, self.job, self.self_name = grid, job, ''
        self.nodes: dict[int, _Node] = {}
        self.looked = 0.
        self.waiting: dict[str, dict[bytes, None]] = {}  # by receiver, in order, each once
        self.came: collections.deque[bytes] = collections.deque()

    def send(self, to: str, packet: bytes) -> bool:
        self.waiting.setdefault(to, {})[packet] = None
        return True

    def receive(self, seconds: float) -> bytes | None:
        until = time.monotonic() + seconds
        while not self.came and seconds:
            self.exchange()
            left = until - time.monotonic()
            if self.came or left <= 0:
                break
            time.sleep(min(PULL, left))
        return self.came.popleft() if self.came else None

    def finish(self) -> None:
        """Brings the last packets to the nodes that answer."""
        until = time.monotonic() + LAST
        while time.monotonic() < until and any(self.waiting.get(node.name) or node.given for node in self.nodes.values()):
            self.exchange()
            time.sleep(PULL)

    def exchange(self) -> None:
        now = time.monotonic()
        if now - self.looked >= NODES:
            self.looked = now
            self.look()
        self.pull()
        out = [self.message_to(at, node, now) for at, node in self.nodes.items() if not node.message and (self.waiting.get(node.name) or now >= node.due)]
        for message, sent in zip(out, self.grid.push_messages(out) if out else ()):
            node = self.nodes[message.metadata.dst_node_id]
            node.message = sent or ''

    def look(self) -> None:
        there = set(self.grid.get_node_ids())
        for gone in set(self.nodes) - there:
            self.keep(self.nodes.pop(gone))
        for new in there - set(self.nodes):
            self.nodes[new] = _Node()

    def keep(self, node: _Node) -> None:
        """What it was given, and has not answered."""
        for packet in node.given:
            self.send(node.name, packet)
        node.given, node.message = [], ''

    def message_to(self, at: int, node: _Node, now: float) -> Message:
        node.given = list(self.waiting.pop(node.name, {}))
        node.due = now + node.pause
        node.pause = SHORTEST if node.given else min(2 * node.pause, LONGEST)
        return Message(RecordDict({RECORD: ConfigRecord({'packets': node.given})}), dst_node_id=at, message_type='query', ttl=VALID)

    def pull(self) -> None:
        asked = {node.message: node for node in self.nodes.values() if node.message}
        for reply in self.grid.pull_messages(list(asked)) if asked else ():
            node = asked.get(reply.metadata.reply_to_message_id)
            if node is None:
                continue
            read = None if reply.has_error() else _read_reply(reply)
            if read is None:
                LOG.warning('node %d: %s', reply.metadata.src_node_id, reply.error.reason if reply.has_error() else 'a reply of another application')
                self.keep(node)
                continue
            node.name, node.message, node.given = read[0], '', []
            self.take(read[1], read[2])

    def take(self, receivers: list[str], packets: list[bytes]) -> None:
        self.self_name = self.self_name or next((job.coordinator for job in jobs(self.job)), '')
        for to, packet in zip(receivers, packets):
            if to == self.self_name:
                self.came.append(packet)
            else:
                self.send(to, packet)
