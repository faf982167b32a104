"""An owner served from a program, over a real broker: its table in memory, its decisions, and its end."""
import contextlib
import os
import signal
import threading
import time

import pytest

import hedgerow
import hedgerow._frames
import hedgerow.owner
from broker import SECONDS, await_job, federation, fed, frame, without_table  # noqa: F401 (fixtures)
from hedgerow import Owner, Schema, coordinate
from hedgerow._native import ffi
from hedgerow._work import LogLine

NAMES = ['north', 'south', 'west']
SERVES = '''
import logging, sys, hedgerow
logging.basicConfig(stream=sys.stderr, level='INFO', format='%%(message)s')
hedgerow.Owner(%r).serve(jobs=1)
print('served', file=sys.stderr)
'''


@contextlib.contextmanager
def all_served(owners):
    with contextlib.ExitStack() as stack:
        services = [stack.enter_context(owner.serving(jobs=1)) for owner in owners]
        for service in services:
            assert service.wait_ready(SECONDS)
        yield services


def frames_of_libraries(fed):
    import polars
    import pyarrow
    return [frame('north'), polars.read_csv('south.csv'), pyarrow.Table.from_pandas(frame('west'), preserve_index=False)]


def test_frames__are_served_and_train_a_model(fed, caplog):
    caplog.set_level('INFO', 'hedgerow')
    owners = [Owner(without_table(fed, name), table) for name, table in zip(NAMES, frames_of_libraries(fed))]
    shown = []
    with all_served(owners) as services:
        result = coordinate('job.yaml', 'model.json', progress=shown.append)
        for service in services:
            assert service.wait(SECONDS) and not service.running
    assert result.model.to_json() == open('model.json').read() and result.exit_code == 0 and result.file == 'model.json'
    assert fed.run('show', 'model.json') == result.model.summary()
    assert result.model.guarantee.is_private and result.model.guarantee.coalition == 1
    assert [(owner.name, owner.part, owner.skipped) for owner in result.owners] == [(name, 'took part', 0) for name in NAMES]
    assert (result.name, result.epsilon, result.statement) == ('job', 1, result.model.guarantee.statement)
    assert result.traffic.packets_sent > 3 and result.traffic.bytes_received > 1000
    assert result.traffic.packets_received >= sum(service.traffic.packets_sent for service in services) * .9
    assert shown and {one.id for one in shown} == {result.id} and {one.name for one in shown} == {'job'} and shown[0].epsilon == 1
    lines = [record.getMessage() for record in caplog.records]
    assert 'north: ready for jobs' in lines and any('the job is done' in line and line.startswith('coordinator: job %s' % result.id[:8]) for line in lines)
    for owner in owners:
        (job,) = owner.jobs()
        assert (job.id, job.ending, job.ledger, job.open) == (result.id, 'done', 'committed', False)
        assert owner.ledger.spent == (1, 1e-6) and [(charge.entry.epsilon, charge.job.id) for charge in owner.charges] == [(1, result.id)]
    assert [job.ending for job in hedgerow.jobs('job.yaml')] == ['done']


def test_a_frame__answers_as_the_command_does(fed):
    """Two owners by the command and one from arrays; the coordinator by the command."""
    others = [fed.serve(name) for name in ('north', 'south')]
    table = frame('west')
    with Owner(without_table(fed, 'west'), (table.drop(columns='readmitted'), table['readmitted'].to_numpy())).serving(jobs=1) as service:
        done = fed.coordinate()
        assert done.wait() == 0, done.lines
        assert service.wait(SECONDS)
    assert [other.wait() for other in others] == [0, 0]
    assert hedgerow.Model.read('model.json').guarantee.is_private
    fed.check_spent()


UNIT = 'hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 9}\nfeatures:\n  - {name: x, kind: number, low: 0, high: 1}\nunit: who\n'


@pytest.mark.parametrize('identifiers', [['a', 'c', 'b', 'c', 'd'], [1, 3, 2, 3, 4]])
def test_persons__have_numbers_of_their_own_whoever_else_is_in_the_table(monkeypatch, identifiers):
    """By which a job that goes on finds whom it had held out."""
    import pandas
    given = []

    def taken(function, *arguments):
        given.append(ffi.unpack(arguments[1].persons, arguments[1].rows))
        return call(function, *arguments)
    call = hedgerow._frames.call
    monkeypatch.setattr(hedgerow._frames, 'call', taken)
    table = pandas.DataFrame({'who': identifiers, 'x': .5, 'y': 3})
    for some in (table, table[1:], table[::-1]):
        hedgerow.owner._data_of(Schema.parse(UNIT), some)
    assert given[1] == given[0][1:] and given[2] == given[0][::-1]
    assert len(set(given[0])) == 4 and given[0][1] == given[0][3]


def test_policy__is_asked_without_a_table(fed):
    answer = Owner('north.yaml').check('job.yaml')
    assert answer.accepted and {rule.rule for rule in answer.rules} >= {'epsilon', 'owners', 'ledger'}
    fed.edit('job.yaml', 'epsilon: 1\n', 'epsilon: 3\n', to='dear.yaml')
    answer = Owner('north.yaml').check('dear.yaml')
    assert not answer.accepted and [rule.rule for rule in answer.rules if not rule.keeps][0] == 'epsilon'


def test_a_job__that_waits_is_refused_by_all(fed):
    fed.edit('north.yaml', '  owners: 3\n', '  owners: 3\n  approve: manual\n', to='manual.yaml')
    owners = [Owner(without_table(fed, name, ('  owners: 3\n', '  owners: 3\n  approve: manual\n')), frame(name)) for name in NAMES]

    def refuse_all():
        for owner in owners:
            owner.refuse(await_job(owner.path, lambda job: job.waits_for), 'no ethics vote')
    with all_served(owners):
        person = threading.Thread(target=refuse_all)
        person.start()
        with pytest.raises(hedgerow.DeclinedError, match='the job ended without a model: declined') as caught:
            coordinate('job.yaml', 'model.json')
        person.join()
    error = caught.value
    assert isinstance(error, (hedgerow.JobError, hedgerow.PolicyError)) and (error.ending, error.exit_code) == ('declined', 3)
    assert [owner.part for owner in error.owners] == ['declined'] * 3 and 'no ethics vote' in error.owners[0].reason
    assert not os.path.exists('model.json') and all(owner.ledger.spent == (0, 0) for owner in owners)


def test_a_frame_with_more_records_than_the_job_says__waits_for_a_person(fed):
    import pandas
    fed.edit('job.yaml', 'epsilon: 1\n', 'epsilon: 1\nrecords: 300..500\n', to='bounded.yaml')
    tables = {name: frame(name) for name in NAMES}
    more = [frame('west').assign(age=frame('west').age.clip(18, 100 - k)) for k in range(3)]
    tables['west'] = pandas.concat(more, ignore_index=True)
    owners = {name: Owner(without_table(fed, name), table) for name, table in tables.items()}
    lines = []

    def approve():
        job = await_job(owners['west'].path, lambda job: job.waits_for)
        assert owners['west'].ledger.spent == (0, 0)
        owners['west'].approve(job)
    with all_served([owners['north'], owners['south']]), owners['west'].serving(jobs=1, on_line=lines.append):
        person = threading.Thread(target=approve)
        person.start()
        with pytest.warns(hedgerow.SuspectModelWarning, match='record count'):
            result = coordinate('bounded.yaml', 'suspect.json')
        person.join()
    assert result.exit_code == 5 and result.model.suspect.startswith('record count')
    assert [line.level for line in lines if 'this owner has 1200 records, and the job says 300 to 500' in line.text] == ['warning']
    assert all(isinstance(line, LogLine) and line.member == 'west' for line in lines)


# ---- What is wrong ------------------------------------------------------------------------------------------------------

def test_owner_files__that_are_wrong_are_named(fed):
    fed.edit('north.yaml', 'policy:', 'colour: red\npolicy:', to='wrong.yaml')
    with pytest.raises(hedgerow.FormatError, match="unknown key 'colour'") as caught:
        Owner('wrong.yaml')
    assert (caught.value.file, caught.value.line) == ('wrong.yaml', 10) and caught.value.remedy.startswith('the keys are hedgerow-owner')
    with pytest.raises(hedgerow.FileError):
        Owner('nowhere.yaml')
    for serve in (Owner.serve, Owner.serving, Owner.serve_in_thread):
        with pytest.raises(hedgerow.FormatError, match="the key 'data' is missing.*or give table=") as caught:
            serve(Owner(without_table(fed, 'north'), test=frame('north')))
        assert (caught.value.file, caught.value.field) == ('bare-north.yaml', 'data')
    assert Owner('bare-north.yaml').jobs() == []  # which needs no table
    fed.edit('north.yaml', 'fed/north/north.key', 'fed/south/south.key', to='other.yaml')
    with pytest.raises(hedgerow.PolicyError, match="this is not the key of 'north'") as caught:
        Owner('other.yaml', frame('north')).serve()
    assert caught.value.file == 'fed/south/south.key' and 'keygen' in caught.value.remedy
    fed.edit('north.yaml', 'north.db', 'absent.db', to='other.yaml')
    with Owner('other.yaml').serving() as service, pytest.raises(hedgerow.FileError, match='absent.db'):
        service.wait(SECONDS)


def test_tables__that_do_not_fit_the_schema_are_named(fed):
    table = frame('north')
    with pytest.raises(hedgerow.SchemaError, match="no column 'ward' of the schema"):
        Owner('north.yaml', table.drop(columns='ward'))
    with pytest.raises(hedgerow.SchemaError, match='ward'):
        Owner('north.yaml', table.assign(ward='attic'))
    with pytest.raises(hedgerow.ArgumentError, match="no column 'readmitted' with the labels"):
        Owner('north.yaml', table.drop(columns='readmitted'))
    with pytest.raises(hedgerow.SchemaError, match='maybe'):
        Owner('north.yaml', test=table.assign(readmitted='maybe'))
    with pytest.raises(ValueError, match='inconsistent numbers'):
        Owner('north.yaml', (table.drop(columns='readmitted'), table['readmitted'][1:]))
    with pytest.raises(hedgerow.ArgumentError, match='a pair'):
        Owner('north.yaml', (table, table, table))
    with pytest.raises(hedgerow.ArgumentError, match='jobs is a whole number'):
        Owner('north.yaml', table).serve(jobs=0)
    for name, key in (('table', 'data'), ('test', 'test')):
        with pytest.raises(hedgerow.ArgumentError, match='%s is a table in memory, not the path' % name) as caught:
            Owner('north.yaml', **{name: 'north.csv'})
        assert caught.value.field == name and 'data frame' in caught.value.remedy and '%s: in the owner file' % key in caught.value.remedy
    with pytest.raises(TypeError, match='colour'):
        Owner('north.yaml', table).serving(colour='red')


def test_a_schema__that_changed_since_the_table_was_taken_is_refused(fed):
    fed.edit('schema.yaml', 'high: 105', 'high: 105', to='own.yaml')
    owner = Owner(without_table(fed, 'north', ('schema.yaml', 'own.yaml')), frame('north'))
    fed.edit('own.yaml', 'high: 105', 'high: 110')
    with pytest.raises(hedgerow.SchemaError, match='the records follow another schema') as caught:
        owner.serve()
    assert caught.value.file == 'own.yaml' and 'age' in caught.value.message


def test_a_table__that_is_itself_twice_is_refused(fed):
    import pandas
    owner = Owner('north.yaml', pandas.concat([frame('north')] * 2, ignore_index=True))
    with pytest.raises(hedgerow.ArgumentError, match='holds all of its records 2 times'):
        owner.serve()


# ---- The end ------------------------------------------------------------------------------------------------------------

def test_one_owner__is_served_once(fed):
    with Owner('north.yaml').serving() as service:
        assert service.wait_ready(SECONDS)
        with pytest.raises(hedgerow.BusyError, match='north.db: this program serves it already') as caught:
            Owner('north.yaml').serve()
        assert caught.value.remedy == 'stop that service first'
        child = fed.program("import hedgerow\nhedgerow.Owner('north.yaml').serve()")
        assert child.wait() == 1 and 'process %d uses this file' % os.getpid() in child.lines[-1], child.lines
        assert service.running and service.ready
    assert not service.running and not service.wait_ready(0) is None
    service.stop()


def test_functions_of_the_program__that_raise_end_the_work(fed):
    def fail(*_):
        raise LookupError('of the program')
    for options in ({'on_ready': fail}, {'on_line': fail}):
        with pytest.raises(LookupError, match='of the program'):
            Owner('north.yaml').serve(**options)
        service = Owner('north.yaml').serve_in_thread(**options)
        with pytest.raises(LookupError, match='of the program'):
            service.wait(SECONDS)
    with pytest.raises(hedgerow.ArgumentError, match='on_line is a function'):
        Owner('north.yaml').serve(on_line=3)


def test_files__are_read_anew(fed):
    lines = []

    def await_line(words):
        for _ in range(SECONDS * 10):
            if any(words in line.text for line in lines):
                return
            time.sleep(.1)
        raise AssertionError(lines)
    path = without_table(fed, 'north')
    with Owner(path, frame('north')).serving(on_line=lines.append) as service:
        assert service.wait_ready(SECONDS)
        fed.edit(path, 'epsilon: 1\n', 'epsilon: 2\n')
        service.reload()
        await_line('the files were read anew')
        fed.edit(path, 'epsilon: 2\n', 'epsilon: none\n')
        service.reload()
        await_line('the files were not read anew')
        assert service.running


def test_an_interrupt__ends_serve_and_the_job_continues(fed):
    """SIGINT to a program of its own, while the job runs; it serves again, and no answer is missing."""
    child = fed.program(SERVES % 'west.yaml')
    child.await_line('ready for jobs')
    others = [Owner(name + '.yaml') for name in ('north', 'south')]
    again = []

    def interrupt(line):
        if 'round 8 of' in line.text:
            child.process.send_signal(signal.SIGINT)
            assert child.wait() == 0, child.lines
            assert child.count('served') == 1 and not child.count('Traceback'), child.lines
            again.append(fed.program(SERVES % 'west.yaml'))
    with all_served(others):
        result = coordinate('job.yaml', 'model.json', on_line=interrupt)
    assert again and again[0].wait() == 0
    assert [owner.part for owner in result.owners] == ['took part'] * 3
    assert Owner('west.yaml').ledger.spent == (1, 1e-6) and len(Owner('west.yaml').jobs()) == 1


def test_a_killed_owner__costs_its_answers_alone(fed):
    fed.edit('job.yaml', 'epsilon: 1\n', 'epsilon: 1\ndeadline: 3\n', to='short.yaml')
    child = fed.program(SERVES % 'west.yaml')
    child.await_line('ready for jobs')
    killed = []

    def kill(line):
        if 'round 8 of' in line.text:
            child.kill()
            killed.append(line)
    with all_served([Owner(name + '.yaml') for name in ('north', 'south')]):
        result = coordinate('short.yaml', 'model.json', on_line=kill)
    west = next(owner for owner in result.owners if owner.name == 'west')
    assert killed and west.skipped > 0 and result.model.tree_count > 0
    assert Owner('west.yaml').ledger.spent == (1, 1e-6)  # it stays spent


def test_the_end_of_a_program__ends_its_services(fed):
    child = fed.program('import hedgerow, sys\nservice = hedgerow.Owner("north.yaml").serve_in_thread()\nassert service.wait_ready(%d)\n'
                        'print("ends", file=sys.stderr)' % SECONDS)
    assert child.wait() == 0 and child.lines == ['ends'], child.lines
    with Owner('north.yaml').serving() as service:
        assert service.wait_ready(SECONDS)  # nothing holds the owner's files


FORKS = '''
import os, sys, warnings, hedgerow
warnings.simplefilter('ignore', DeprecationWarning)
with hedgerow.Owner('north.yaml').serving() as service:
    assert service.wait_ready(120)
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        assert not service.running
        service.stop()
        try:
            hedgerow.Owner('south.yaml').serve()
        except hedgerow.ArgumentError as error:
            print(error.message, file=sys.stderr, flush=True)
        os.close(writes)
        os.read(reads, 1)  # until its parent has ended
        os._exit(0)
    os.close(reads)
    assert service.running
    os.kill(child, 0)
# The child has the files open yet.
with hedgerow.Owner('north.yaml').serving() as service:
    assert service.wait_ready(120)
print('served twice', file=sys.stderr, flush=True)
os.close(writes)
assert os.waitpid(child, 0)[1] == 0
'''


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='this system has no fork')
def test_a_fork__serves_nothing_and_holds_nothing(fed):
    program = fed.program(FORKS)
    assert program.wait() == 0, program.lines
    assert 'this process was forked from one that has used a broker, and cannot use one itself' in program.lines, program.lines
    assert 'served twice' in program.lines, program.lines
