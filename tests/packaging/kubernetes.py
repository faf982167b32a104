#!/usr/bin/env python3
"""The manifests of packaging/kubernetes: Kubernetes' own schemas accept them; no pod has rights that it does not need; and what they start works: three
brokers, two owners and a coordinator run here from the commands, files and probes of the manifests, with folders in the place of volumes, and a job
ends with its model. Needs kubernetes-validate of PyPI, and nats-server. usage: kubernetes.py HEDGEROW FOLDER"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

import kubernetes_validate
import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../nats'))
from federation import Process, free_port  # noqa: E402

VERSIONS = ['1.29', '1.37']  # the first one in which ReadWriteOncePod is no trial, and a new one
SECONDS = 120
JOB = 'hedgerow-job: 1\nschema: schema.yaml\nmethod: hedge\nepsilon: 1\nowners: [north, south]\n'


def read(folder):
    """{file: {kind: [resource]}}"""
    files = {}
    for path in sorted(glob.glob(os.path.join(folder, '*.yaml'))):
        with open(path) as file:
            kinds = files.setdefault(os.path.basename(path)[:-len('.yaml')], {})
            for resource in yaml.safe_load_all(file):
                kinds.setdefault(resource['kind'], []).append(resource)
    return files


def containers(pod):
    return pod.get('initContainers', []) + pod['containers']


def check_rights(name, stateful):
    pod = stateful['spec']['template']['spec']
    assert pod['automountServiceAccountToken'] is False and pod['securityContext']['runAsNonRoot'] is True, name
    assert pod['securityContext']['seccompProfile'] == {'type': 'RuntimeDefault'}, name
    volumes = {volume['name'] for volume in pod['volumes'] + [claim['metadata'] for claim in stateful['spec']['volumeClaimTemplates']]}
    for container in containers(pod):
        context = container['securityContext']
        assert context == {'allowPrivilegeEscalation': False, 'readOnlyRootFilesystem': True, 'capabilities': {'drop': ['ALL']}}, (name, context)
        assert {mount['name'] for mount in container['volumeMounts']} <= volumes, name
    for claim in stateful['spec']['volumeClaimTemplates']:
        assert claim['spec']['accessModes'] == ['ReadWriteOncePod'], name
    assert stateful['spec']['selector']['matchLabels'] == stateful['spec']['template']['metadata']['labels'], name
    assert stateful['spec']['replicas'] == (3 if name == 'broker' else 1), name


def check_network(name, kinds):
    """A member accepts nothing, and reaches the broker and names alone."""
    policy = kinds['NetworkPolicy'][0]['spec']
    assert policy['policyTypes'] == ['Ingress', 'Egress'], name
    ports = sorted({port['port'] for rule in policy['egress'] for port in rule['ports']})
    assert all(rule['to'] for rule in policy['egress']), name
    if name == 'broker':
        assert ports == [53, 6222], ports
    else:
        assert policy['podSelector'] == {} and policy['ingress'] == [] and ports == [53, 4222], (name, policy)


def check(files):
    assert sorted(files) == ['broker', 'coordinator', 'owner'], list(files)
    for name, kinds in files.items():
        for resource in (resource for kind in kinds.values() for resource in kind):
            for version in VERSIONS:
                kubernetes_validate.validate(resource, version, strict=True)
        check_rights(name, kinds['StatefulSet'][0])
        check_network(name, kinds)


class Pod:
    """What a pod runs, with a folder in the place of each volume's path."""

    def __init__(self, stateful, top, tool, host=''):
        self.spec, self.top, self.host = stateful['spec']['template']['spec'], top, host
        self.main, self.path = self.spec['containers'][0], os.path.dirname(tool) + ':' + os.environ['PATH']
        for mount in (mount for container in containers(self.spec) for mount in container['volumeMounts']):
            os.makedirs(self.place(mount['mountPath']), exist_ok=True)

    def place(self, text):
        return re.sub(r'/(?:etc/hedgerow|run/hedgerow|var/lib|srv/)', lambda found: self.top + found.group(0), text)

    def give(self, path, text):
        with open(self.place(path), 'w') as file:
            file.write(self.place(text))

    def run(self, words):
        """The exit code."""
        return subprocess.run([self.place(word) for word in words], env={'PATH': self.path, 'HOSTNAME': self.host}, stdout=subprocess.DEVNULL).returncode

    def start(self):
        for container in self.spec.get('initContainers', []):
            assert self.run(container['command']) == 0, container
        words = self.main.get('command') or ['hedgerow', *self.main['args']]
        # The image's entry point is the tool.
        return Process(['env', 'PATH=' + self.path, 'HOSTNAME=' + self.host, *(self.place(word) for word in words)], self.top)

    def await_ready(self):
        end = time.monotonic() + SECONDS
        while self.run(self.main['readinessProbe']['exec']['command']):
            assert time.monotonic() < end, 'not ready'
            time.sleep(.2)
        assert self.run(self.main['livenessProbe']['exec']['command']) == 0, 'ready, and not alive'


def copy(source, folder):
    subprocess.run('cp %s %s' % (source, folder), shell=True, check=True)


def start_broker(files, top, tool, index):
    pod = Pod(files['broker']['StatefulSet'][0], os.path.join(top, 'broker-%d' % index), tool, 'broker-%d' % index)
    copy(os.path.join(top, 'fed/broker/*'), pod.place('/etc/hedgerow-broker'))
    process = pod.start()
    process.await_line('Server is ready')
    return process


def member(files, kind, name, top, tool):
    """The pod of a member, with its files. The owner of the manifests is north: others have its manifest with their own name."""
    text = yaml.safe_dump(files[kind]['StatefulSet'][0]) + '---\n' + files[kind]['ConfigMap'][0]['data'][kind + '.yaml']
    stateful, config = text.replace('north', name).split('---\n')
    pod = Pod(yaml.safe_load(stateful), os.path.join(top, name), tool)
    pod.give('/etc/hedgerow/config/%s.yaml' % kind, config)
    copy('%s/fed/%s/federation.yaml %s/fed/ca.pem' % (top, name, top), pod.place('/etc/hedgerow/config'))
    copy('%s/fed/%s/tls*.pem %s/%s.key' % (top, name, top, name), pod.place('/etc/hedgerow/secret'))
    return pod


def make_owner(files, name, top, tool):
    pod = member(files, 'owner', name, top, tool)
    copy(os.path.join(top, 'schema.yaml'), pod.place('/etc/hedgerow/config'))
    subprocess.run([tool, 'generate', 'hospital', '--rows', '400', '--seed', str(len(name)), '-o', pod.place('/srv/records/records.csv')], check=True)
    subprocess.run([tool, 'ledger', 'create', pod.place('/var/lib/hedgerow/%s.db' % name), '--epsilon', '2', '--delta', '1e-5'], check=True)
    return pod


def federate(top, tool):
    keys, ports = {}, [free_port() for _ in range(3)]
    for name in ('coordinator', 'north', 'south'):
        keys[name] = subprocess.run([tool, 'keygen', os.path.join(top, name + '.key')], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    subprocess.run([tool, 'federation', 'init', os.path.join(top, 'fed'), '--name', 'demo', '--url', ','.join('tls://localhost:%d' % port for port in ports),
                    *(word for name, key in keys.items() for word in ('--member', '%s=%s' % (name, key)))], check=True, stderr=subprocess.DEVNULL)


def open_inboxes(top, tool):
    """Once the brokers have chosen who leads."""
    end = time.monotonic() + SECONDS
    while subprocess.run([tool, 'federation', 'open', 'fed'], cwd=top, stderr=subprocess.DEVNULL).returncode:
        assert time.monotonic() < end, 'the inboxes were not made'


def run(files, top, tool):
    def hedgerow(*words):
        subprocess.run([tool, *words], cwd=top, check=True)

    federate(top, tool)
    hedgerow('generate', 'hospital', '--rows', '10', '--seed', '1', '-o', 'example.csv', '--schema', 'schema.yaml')
    pods = [make_owner(files, name, top, tool) for name in ('north', 'south')] + [member(files, 'coordinator', 'coordinator', top, tool)]
    with open(os.path.join(top, 'job.yaml'), 'w') as file:
        file.write(JOB)
    processes = [start_broker(files, top, tool, index) for index in range(3)]
    try:
        open_inboxes(top, tool)
        processes += [pod.start() for pod in pods]
        for pod in pods:
            pod.await_ready()
        desk = pods[-1].place('/var/lib/hedgerow')
        # As docs/how-to/kubernetes.md does: both files are copied into the pod, whose folder has nothing else of the founder's.
        for name in ('job.yaml', 'schema.yaml'):
            copy(os.path.join(top, name), desk)
        subprocess.run([tool, 'submit', '.', 'job.yaml', '--name', 'first'], cwd=desk, check=True)
        hedgerow('jobs', 'log', desk, 'first', '--follow')
        hedgerow('jobs', 'fetch', desk, 'first', '-o', 'model.json')
        hedgerow('show', 'model.json')
    finally:
        for process in reversed(processes):
            process.kill()
    stopped = pods[0].run(pods[0].main['livenessProbe']['exec']['command'])
    assert stopped, 'an owner whose process is gone counts as alive'


def main():
    tool, files = os.path.abspath(sys.argv[1]), read(sys.argv[2])
    check(files)
    with tempfile.TemporaryDirectory() as top:
        run(files, top, tool)
    print('the manifests are valid, and a job of two owners over three brokers ended with its model')


main()
