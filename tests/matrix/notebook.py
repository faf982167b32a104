"""What the gate was handed in two runs (traced.c), compared: how far one record, or person, moves the sums and scores of each line that was charged."""
import collections
import math

SUMS, SHARE, CHOICE = 'sums', 'share', 'choice'
NONE, PURE, ZCDP, GDP = range(4)
UNIT = 2.0 ** 40
Call = collections.namedtuple('Call', 'kind gate permit what tree level group part cost sensitivity measure values')


def read(path):
    calls = []
    with open(path, encoding='utf-8') as file:
        for line in file:
            fields = line.rstrip('\n').split('\t')
            kind, gate, permit, what, tree, level, group, part, cost, sensitivity, measure, count = fields[:12]
            values = [int(v) for v in fields[12:]]
            assert len(values) == int(count), 'a call of %s values has %d' % (count, len(values))
            calls.append(Call(kind, int(gate), int(permit), what, int(tree), int(level), int(group), int(part), int(cost), int(sensitivity), int(measure), values))
    return calls


def moved(base, twin):
    """(gate, permit) -> (its first call, how far its values moved over its sensitivity)."""
    lines = {}
    for a, b in zip(base, twin, strict=True):
        assert a[:11] == b[:11], 'the twin released something else: %s for %s' % (b[:11], a[:11])
        d = [y - x for x, y in zip(a.values, b.values, strict=True)]
        call, so_far = lines.get((a.gate, a.permit), (a, 0))
        if a.kind == CHOICE:
            so_far += (max(d) - min(d)) / a.sensitivity
        elif a.measure == PURE:
            so_far += sum(abs(x) for x in d) / a.sensitivity
        else:  # a length; several calls of a line are one vector
            so_far = math.hypot(so_far, math.sqrt(sum(x * x for x in d)) / a.sensitivity)
        lines[a.gate, a.permit] = (call, so_far)
    return lines


def check(base, twin, times):
    """kind of release -> how far the line of it that moved most did, in sensitivities. times: how many records, each added or removed, lie between the two tables."""
    lines = moved(base, twin)
    assert lines, 'nothing was released'
    touched = collections.defaultdict(set)
    for call, far in lines.values():
        assert call.measure != NONE and call.cost > 0, 'released for nothing: %s' % call.what
        assert far <= times * (1 + 1e-9), "'%s' of tree %d, level %d moved by %.4f times its sensitivity, which allows %d" % (
            call.what, call.tree, call.level, far, times)
        if far > 0:
            touched[call.gate, call.group].add(call.part)
    for (gate, group), parts in touched.items():
        assert len(parts) <= times, 'records of group %d, gate %d moved in %d parts, which were charged as if they were in one' % (group, gate, len(parts))
    return {kind: max((far for call, far in lines.values() if call.kind == kind), default=0) for kind in (SUMS, SHARE, CHOICE)}


def cost(calls):
    """What the calls of each gate add up to: the costliest, in units; and in what."""
    groups = collections.defaultdict(lambda: collections.defaultdict(dict))
    for c in calls:
        groups[c.gate][c.group].setdefault(c.part, {})[c.permit] = c.cost
    return max(sum(max(sum(lines.values()) for lines in parts.values()) for parts in of_gate.values()) for of_gate in groups.values()), calls[0].measure


def delta_of(epsilon, mu):
    """Of Gaussian differential privacy (Dong, Roth and Su 2022, Corollary 1)."""
    def phi(x):
        return math.erfc(-x / math.sqrt(2)) / 2
    return phi(-epsilon / mu + mu / 2) - math.exp(epsilon) * phi(-epsilon / mu - mu / 2)


def check_cost(calls, epsilon, delta, records):
    """records: of a person that are trained on; it pays for each."""
    units, measure = cost(calls)
    if measure == PURE:
        assert records * units / UNIT <= epsilon * (1 + 1e-9), 'epsilon %g was spent of %g' % (records * units / UNIT, epsilon)
    else:
        assert measure == GDP, 'no cell trains in zCDP'
        assert delta_of(epsilon, records * math.sqrt(units / UNIT)) <= delta * (1 + 1e-6), 'more than delta %g at epsilon %g' % (delta, epsilon)
