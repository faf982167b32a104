"""A job coordinated from a program, over a real broker: its end, its continuation, and what it makes."""
import contextlib
import os
import signal
import threading

import pytest

import hedgerow
import test_docs
from broker import SECONDS, await_job, federation, fed, frame, without_table  # noqa: F401 (fixtures)
from hedgerow import Owner, coordinate

NAMES = ['north', 'south', 'west']
COORDINATES = '''
import os, signal, sys, hedgerow
reads, writes = os.pipe()
os.set_blocking(writes, False)
signal.set_wakeup_fd(writes)
def show(line):
    print(line.text, file=sys.stderr, flush=True)
    if 'round 8 of' in line.text:
        os.read(reads, 1)  # until the signal has come
hedgerow.coordinate('job.yaml', 'model.json', on_line=show)
'''


@pytest.fixture
def served(fed):
    """All owners, by threads of this program; each serves one job."""
    with contextlib.ExitStack() as stack:
        services = [stack.enter_context(Owner(name + '.yaml').serving()) for name in NAMES]
        for service in services:
            assert service.wait_ready(SECONDS)
        yield fed


def check_continues(fed, **options):
    """The job that was begun, in one more call; each owner has paid once."""
    (begun,) = hedgerow.jobs('job.yaml')
    assert begun.open and not os.path.exists('model.json')
    result = coordinate('job.yaml', 'model.json', **options)
    assert result.id == begun.id and [owner.part for owner in result.owners] == ['took part'] * 3
    assert [job.id for job in hedgerow.jobs('job.yaml')] == [begun.id]
    fed.check_spent()
    return result


def test_an_interrupt__ends_coordinate_and_the_job_continues(served):
    child = served.program(COORDINATES)
    child.await_line('round 8 of')
    child.process.send_signal(signal.SIGINT)
    assert child.wait() in (-signal.SIGINT, 130) and child.lines[-1] == 'KeyboardInterrupt', child.lines
    check_continues(served)


def test_the_command__continues_a_job_of_a_program(served):
    def stop(line):
        if 'round 8 of' in line.text:
            raise LookupError('of the program')
    with pytest.raises(LookupError, match='of the program'):
        coordinate('job.yaml', 'model.json', on_line=stop)
    (begun,) = hedgerow.jobs('job.yaml')
    done = served.coordinate()
    assert done.wait() == 0 and done.count('an earlier job continues') == 1, done.lines
    assert [(job.id, job.ending) for job in hedgerow.jobs('job.yaml')] == [(begun.id, 'done')]


def test_another_thread__stops_it(served):
    stop = threading.Event()
    with pytest.raises(hedgerow.StoppedError, match='a job of a federation continues'):
        coordinate('job.yaml', 'model.json', stop=stop, on_line=lambda line: 'round 8 of' in line.text and stop.set())
    with pytest.raises(hedgerow.StoppedError):
        coordinate('job.yaml', 'model.json', stop=stop)
    check_continues(served, progress=None)


def test_the_progress_line__counts_rounds(served, capsys):
    coordinate('job.yaml', 'model.json', verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith('coordinate: ') for line in lines)
    done, total = lines[-1].split('step ')[1].split(' of ')
    assert done == total


def test_a_result__that_exists_is_kept(served):
    open('model.json', 'w').write('mine')
    with pytest.raises(hedgerow.FileError, match='the model exists already') as caught:
        coordinate('job.yaml', 'model.json')
    assert caught.value.file == 'model.json' and open('model.json').read() == 'mine'
    assert hedgerow.jobs('job.yaml') == []


@pytest.mark.parametrize('place', ['nowhere/model.json', 'fed', 'north.csv/model.json'])
def test_a_result__that_cannot_be_written_is_refused_before_an_owner_is_asked(fed, place):
    with pytest.raises(hedgerow.FileError, match='cannot be written') as caught:
        coordinate('job.yaml', place)
    assert caught.value.file == place and caught.value.remedy in ('name a file', 'choose another place, or correct its permissions')
    assert not os.path.exists('coordinator.db')


def test_a_job__that_is_cancelled_ends_without_a_model(served):
    def cancel(now):
        if not gone:
            gone.append(threading.Thread(target=lambda: told.append(hedgerow.cancel_job('job.yaml', now.id[:8]))))
            gone[0].start()
            await_job('job.yaml', lambda job: job.cancelled)
    gone, told = [], []
    with pytest.raises(hedgerow.JobError, match='the job ended without a model: cancelled') as caught:
        coordinate('job.yaml', 'model.json', progress=cancel)
    gone[0].join()
    assert caught.value.ending == 'cancelled' and caught.value.exit_code == 10 and told[0].ended
    assert [job.ending for job in Owner('north.yaml').jobs()] == ['cancelled']


def test_an_owner__leaves_a_job_and_the_others_go_on(served):
    gone = []

    def leave(line):
        if 'round 8 of' in line.text:
            gone.append(threading.Thread(target=lambda: Owner('west.yaml').cancel(line.job)))
            gone[0].start()
            await_job('west.yaml', lambda job: not job.open)
    result = coordinate('job.yaml', 'model.json', on_line=leave)
    gone[0].join()
    assert {owner.name: owner.part for owner in result.owners} == {'north': 'took part', 'south': 'took part', 'west': 'declined'}


def test_a_job_file__that_is_wrong_is_named(served):
    served.edit('job.yaml', 'method: hedge', 'method: hedges', to='wrong.yaml')
    with pytest.raises(hedgerow.FormatError, match='hedges') as caught:
        coordinate('wrong.yaml', 'model.json')
    assert caught.value.file == 'wrong.yaml' and caught.value.line == 3
    served.edit('job.yaml', '[north, south, west]', '[north, nobody]', to='wrong.yaml')
    with pytest.raises(hedgerow.ArgumentError, match="'nobody' cannot be an owner"):
        coordinate('wrong.yaml', 'model.json')
    with pytest.raises(hedgerow.ArgumentError, match='progress is a function'):
        coordinate('job.yaml', 'model.json', progress=3)
    with pytest.raises(hedgerow.AbsentError if not named_gz() else hedgerow.FileError):
        coordinate('job.yaml', '/nonexistent/model.json.gz' if named_gz() else 'model.json.gz')


def named_gz():
    """Whether this build writes gzip files."""
    from hedgerow._native import ffi, lib, text_to
    return lib.hr_model_check_name(text_to('x.gz'), ffi.NULL) == 0


def test_test_frames__evaluate_a_model(fed):
    """A job whose result is no model."""
    policy = ('[hedge]', '[hedge, evaluation]')
    owners = [Owner(without_table(fed, name, policy), frame(name), test=frame(name)) for name in NAMES]
    table = frame('north')
    fitted = hedgerow.HedgerowClassifier(epsilon=1, schema='schema.yaml').fit(table, table['readmitted'])
    fitted.model_.write('judged.json')
    fed.edit('job.yaml', 'method: hedge\n', 'method: evaluation\nmodel: judged.json\n', to='figures.yaml')
    with contextlib.ExitStack() as stack:
        for owner in owners:
            stack.enter_context(owner.serving())
        result = coordinate('figures.yaml', 'figures.json')
    assert result.model is None and result.schema is None and result.evaluation['records'].low < 1200 < result.evaluation['records'].high
    assert result.statement == result.evaluation.guarantee.statement and os.path.exists('figures.json')


@pytest.mark.parametrize('page', ['README.md', 'docs/how-to/federation.md'])
def test_examples__run_as_printed(page, fed, capsys):
    """Each owner runs the owner's lines with its own names, in a thread of its own."""
    found = [code for code, _ in test_docs.all_blocks(page) if test_docs.BROKER.search(code)]
    owners = [code for code in found if 'Owner(' in code]
    (of_coordinator,) = [code for code in found if 'coordinate(' in code and code not in owners]
    assert len(owners) == 1
    failures, names = [], {'coordinate': coordinate}

    def serve(name):
        try:
            exec(owners[0].replace('north', name), {'train': frame(name)})
        except BaseException as e:
            failures.append(e)
    threads = [threading.Thread(target=serve, args=(name,)) for name in NAMES]
    for thread in threads:
        thread.start()
    exec(of_coordinator, names)
    for thread in threads:
        thread.join()
    assert not failures and hedgerow.Model.read('joint.json').guarantee.is_private
    os.remove('joint.json')
