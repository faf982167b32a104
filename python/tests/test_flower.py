"""What a node of Flower may answer: messages are read without Flower, which need not be installed."""
import importlib
import sys
from types import ModuleType, SimpleNamespace

import pytest

REPLY = {'name': 'north', 'to': [], 'packets': []}


class Sent:
    """A message that goes out."""

    def __init__(self, content, *, dst_node_id=None, message_type=None, ttl=None, reply_to=None):
        self.content, self.metadata = content, SimpleNamespace(dst_node_id=dst_node_id)


class Decorates:
    def main(self):
        return lambda function: function

    query = main


@pytest.fixture
def flower(monkeypatch):
    """The module, over names in place of Flower's where it is not installed."""
    try:
        import flwr.app  # noqa: F401
    except ImportError:
        names = {'app': dict(ConfigRecord=type('ConfigRecord', (dict,), {}), Context=object, Message=object, RecordDict=type('RecordDict', (dict,), {})),
                 'clientapp': dict(ClientApp=Decorates), 'serverapp': dict(Grid=object, ServerApp=Decorates)}
        monkeypatch.setitem(sys.modules, 'flwr', ModuleType('flwr'))
        for name, values in names.items():
            module = ModuleType('flwr.' + name)
            module.__dict__.update(values)
            monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.delitem(sys.modules, 'hedgerow.flower', raising=False)
    module = importlib.import_module('hedgerow.flower')
    module.Message = Sent  # Flower's is of a run
    yield module
    sys.modules.pop('hedgerow.flower')


class OneNode:
    """A grid whose node answers each message with `reply`."""

    def __init__(self, flower):
        self.flower, self.reply, self.sent = flower, None, []

    def get_node_ids(self):
        return [1]

    def push_messages(self, messages):
        self.sent += [message.content['hedgerow']['packets'] for message in messages]
        return [str(len(self.sent))]

    def pull_messages(self, asked):
        metadata = SimpleNamespace(reply_to_message_id=asked[0], src_node_id=1)
        return [SimpleNamespace(content=self.reply, metadata=metadata, has_error=lambda: False)]


@pytest.fixture
def node(flower):
    grid = OneNode(flower)
    carrier = flower._GridCarrier(grid, 'job.yaml')
    carrier.self_name = 'coordinator'
    carrier.exchange()
    grid.reply = content(flower, REPLY)
    carrier.exchange()
    return grid, carrier


def content(flower, values):
    return flower.RecordDict({'hedgerow': flower.ConfigRecord(values)})


@pytest.mark.parametrize('values', [
    {}, {'name': 'north'}, {'name': 'north', 'to': []}, {'to': [], 'packets': []}, {**REPLY, 'name': 7}, {**REPLY, 'name': ['north']}, {**REPLY, 'to': 'south'},
    {**REPLY, 'to': ['coordinator'], 'packets': [7]}, {**REPLY, 'to': [7], 'packets': [b'p']}, {**REPLY, 'to': ['coordinator'], 'packets': ['p']},
    {**REPLY, 'to': ['coordinator'], 'packets': 7}, {**REPLY, 'to': ['coordinator'], 'packets': b'p'}, {**REPLY, 'to': ['coordinator'], 'packets': [b'p', b'q']},
])
def test_a_reply__of_another_shape_ends_nothing(flower, node, caplog, values):
    grid, carrier = node
    carrier.send('north', b'question')
    grid.reply = content(flower, REPLY)
    carrier.exchange()
    assert grid.sent[-1] == [b'question']
    grid.reply = content(flower, values)
    carrier.exchange()
    assert 'node 1: a reply of another application' in caplog.text
    assert grid.sent[-1] == [b'question'] and carrier.receive(0) is None  # again
    grid.reply = content(flower, {'name': 'north', 'to': ['coordinator', 'south'], 'packets': [b'answer', b'hello']})
    carrier.exchange()
    assert carrier.receive(0) == b'answer' and list(carrier.waiting['south']) == [b'hello']


def test_a_reply__without_a_record_ends_nothing(flower, node, caplog):
    grid, carrier = node
    carrier.exchange()
    for reply in (flower.RecordDict({}), flower.RecordDict({'other': flower.ConfigRecord(REPLY)})):
        carrier.nodes[1].message, grid.reply = 'asked', reply
        caplog.clear()
        carrier.exchange()
        assert 'a reply of another application' in caplog.text


def test_a_message__of_another_shape_has_no_packets(flower):
    def read(content):
        return flower._read_packets(SimpleNamespace(content=content))
    assert read(content(flower, {'packets': [b'p', b'q']})) == [b'p', b'q']
    for values in ({}, {'packets': 7}, {'packets': [7]}, {'packets': ['p']}, {'packets': b'p'}):
        assert read(content(flower, values)) == []
    assert read(flower.RecordDict({})) == []
