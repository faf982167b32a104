"""The Flower App of the tests: as docs/how-to/flower.md has it, but for a ServerApp that may change packets, and owners by partition in a simulation."""
import logging

from flwr.app import ConfigRecord
from flwr.serverapp import ServerApp
from hedgerow.flower import client_app, server_app


class Changing:
    """A grid that flips a byte in the first packets of owners that come."""

    def __init__(self, grid, left):
        self.grid, self.left = grid, left

    def __getattr__(self, name):
        return getattr(self.grid, name)

    def pull_messages(self, ids):
        for reply in self.grid.pull_messages(ids):
            if not reply.has_error() and self.left and reply.content['hedgerow']['packets']:
                record = dict(reply.content['hedgerow'])
                first = bytearray(record['packets'][0])
                first[len(first) // 2] ^= 1
                reply.content['hedgerow'] = ConfigRecord({**record, 'packets': [bytes(first), *record['packets'][1:]]})
                self.left -= 1
            yield reply


def owner_of(context):
    """In a simulation, whose nodes are numbered, one of the run's owners."""
    if 'owner' in context.node_config:
        return context.node_config['owner']
    return str(context.run_config['owners']).split(',')[int(context.node_config['partition-id'])]


client = client_app(owner_of)
server = ServerApp()


@server.main()
def main(grid, context):
    logging.getLogger('hedgerow').addHandler(logging.FileHandler(str(context.run_config['log'])))
    server_app()(grid=Changing(grid, int(context.run_config['changed'])), context=context)
