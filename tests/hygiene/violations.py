#!/usr/bin/env python3
"""Every hygiene check can fail: each is run on a copy of the project with one deliberate violation, and must name the place.
usage: violations.py ROOT CC [CC's arguments]"""
import contextlib
import functools
import io
import os
import runpy
import shutil
import sys
import tempfile
import traceback

import source

HERE = os.path.dirname(os.path.abspath(__file__))
COPIED = ('include', 'src', 'cli', 'bench', 'examples', 'tests', 'docs', 'man', 'python', 'packaging', 'proofs', 'tools')
COPIED_FILES = ('.clang-format', 'README.md')
# Checks that read or compile every file take a copy of these folders alone, where all their violations are.
NARROW = {'headers': ('include', 'src/base'), 'words': ('src', 'cli'), 'delta_words': ('src/base', 'cli')}

# sentence, place, proof, test, its name
CLAIM = '\n| Sentence | Said in | Proof | Test | Conditions |\n|---|---|---|---|---|\n| %s | `%s` | [x](%s) | `%s`: `%s` | none |\n'
# what happens, its proof, test, name of the test, fault
STEP = '\n| Link | What happens | Proof | Test | Planted faults | Assumes |\n|---|---|---|---|---|---|\n| x | x | [x](%s) | `%s`: `%s` | %s | none |\n'
QUESTION = '\n| | Question | Answer | Proof | Test | Link |\n|---|---|---|---|---|---|\n| %s | x | x | [x](privacy.md) | `tests/hygiene/claims.py`: `main` | %s |\n'

# its exit code, test, name of the test
FAULT = '\n| What | What happens | Who is told what | Exit code | Test |\n|---|---|---|---|---|\n| x | x | x | %s | `%s`: `%s` |\n'

# a column, the cells of a row
MEASURED = '{"command": "x", "tables": [{"text": ["x"], "columns": [%s], "rows": [[%s]]}]}'

# a row of each table
PAPER = '''
## Another

| Paper | File | Option | Mode paper | Mode sound | Why |
|---|---|---|---|---|---|
%s

| Paper | Ours | Command | Verdict |
|---|---|---|---|
%s
'''

# check, file to spoil (None in `before`: a new file), text to put at its end, a word that the complaint must hold
CASES = [
    ('layers', 'src/base/spoiled.c', '#include "privacy/crypto/csprng.h"\n', 'base may not include'),
    ('layers', 'src/base/spoiled.c', '#include <sqlite3.h>\n', 'not listed for base'),
    ('layers', 'src/base/spoiled.c', '#include "fail.h"\n', 'base may not include'),
    ('layers', 'src/base/spoiled.c', '#include "base/absent.h"\n', 'write the path from src'),
    ('layers', 'src/attic/spoiled.c', 'int x;\n', 'src/attic is not listed'),
    ('layers', 'src/LAYERS', '\nattic: base <sodium.h>\n', 'already belongs to privacy/crypto'),
    ('layers', 'src/LAYERS', '\nattic: base <sodium.h>@base\n', 'does not belong to base'),
    ('layers', 'src/LAYERS', '\nattic: cellar\n', 'not above it'),
    ('layers', 'src/LAYERS', '\nbase/attic: base\n', 'stands apart'),
    ('layers', 'cli/spoiled.c', '#include "base/fail.h"\n', 'public headers only'),
    ('layers', 'examples/spoiled.c', '#include <sodium.h>\n', 'public headers only'),
    ('layers', 'include/hedgerow/status.h', '#include <yaml.h>\n', 'public headers only'),
    ('headers', 'include/hedgerow/spoiled.h', 'size_t hr_spoiled(void);\n', 'does not compile alone'),
    ('headers', 'include/hedgerow/spoiled.h', '#include <hedgerow/status.h>\ntypedef struct hr_class { int class; } hr_class;\n', 'compile alone with'),
    ('headers', 'src/base/spoiled.h', 'enum { ONCE };\n', 'does not compile alone'),
    ('headers', 'src/base/spoiled.h', '#ifndef HR_SPOILED_H\n#define HR_SPOILED_H\nenum { ONCE };\n#endif\n', 'has no guard HR_BASE_SPOILED_H'),
    ('proofs', 'src/privacy/laplace.c', '\n', 'laplace.proof.md'),
    ('proofs', 'src/privacy/spoiled.proof.md', 'Believe me.\n', 'does not end in'),
    ('proofs', 'src/privacy/spoiled.proof.md', 'Source: src/base/fail.c sha256 %s\n' % ('0' * 64), 'has changed since'),
    ('proofs', 'src/privacy/spoiled.proof.md', 'Source: absent.c sha256 %s\n' % ('0' * 64), 'there is no'),
    ('proofs', 'src/trees/tree/spoiled.h', '/* Proof: absent.proof.md. */\n', 'there is no absent.proof.md'),
    ('proofs', 'src/tables/bins/edges.proof.md', 'Believe me.\n', 'src/tables/bins/edges.c:1: no proof'),
    ('proofs', 'src/methods/hedge/hedge.proof.md', 'Believe me.\n', 'src/methods/hedge/hedge_plan.c:1: no proof'),
    ('theorems', 'proofs/spoiled.v', 'Theorem sure : 1 = 1. Proof. reflexivity. Qed.\n', 'no text beside the code names sure'),
    ('theorems', 'proofs/laplace.v', 'Lemma sure : 1 = 2. Proof. Admitted.\n', 'takes for granted'),
    ('theorems', 'proofs/laplace.v', 'Axiom sure : 1 = 2.\n', 'takes for granted'),
    ('theorems', 'proofs/laplace.v', 'Hypothesis sure : 1 = 2.\n', 'outside a section is an axiom'),
    ('theorems', 'proofs/laplace.v', 'Section S. End S.\nVariable n : nat.\n', 'outside a section is an axiom'),
    ('theorems', 'src/privacy/laplace.proof.md', 'By `proofs/laplace.v:absent`.\n', 'proofs/laplace.v:absent is no theorem'),
    ('theorems', 'src/privacy/laplace.proof.md', 'By `proofs/laplace.v:cut_lipschitz`.\n', 'cut_lipschitz is no theorem'),
    ('mechanism_names', 'src/privacy/gate.c', 'bool f(uint32_t m) { return m == HR_MECHANISM_EXPONENTIAL; }\n', 'HR_MECHANISM_EXPONENTIAL is named outside'),
    ('mechanism_names', 'src/methods/spoiled.c', 'bool f(hr_release *r) { return hr_laplace_covers(r, 1); }\n', 'hr_laplace_covers is named outside'),
    ('mechanism_names', 'src/privacy/laplace.c', 'int64_t f(hr_csprng *c, hr_release *r) { return hr_gaussian_add(c, r, 0); }\n', 'hr_gaussian_add is named outside'),
    ('mechanism_names', 'src/privacy/gaussian.c', 'bool hr_laplace_covers(void) { return true; }\n', 'a mechanism is one file'),
    ('mechanism_names', 'src/privacy/accountant.h', 'enum { HR_MECHANISM_NEW = 9 };\n', 'HR_MECHANISM_NEW has no row'),
    ('records', 'src/methods/spoiled.c', 'double f(const hr_training *t) { return (double)hr_data_rows(t->data); }\n', 'spoiled.c:1: f asks'),
    ('records', 'src/methods/boosting/inprivate.c', 'static double f(const hr_training *t) { return t->records; }\nstatic size_t '
     'train_inprivate_round(hr_training *t) { return hr_data_rows(t->data); }\n', 'train_inprivate_round asks for the exact number of records 2 times, 1 allowed'),
    ('records', 'src/federation/protocol/spoiled.c', 'size_t f(const hr_binned *binned) { return binned->rows; }\n', 'spoiled.c:1: f asks'),
    ('records', 'src/fit/spoiled.h', '#define N(p) hr_parts_size(p, 0)\n', 'spoiled.h:1: None asks'),
    ('delta_words', 'src/base/spoiled.c', '"... at most e^epsilon, exc' 'ept " "with " "probability delta"\n', 'not what delta means'),
    ('delta_words', 'cli/spoiled.c', '"prob' 'ability that the " "guarantee fails"\n', 'not what delta means'),
    ('delta_words', 'src/base/spoiled.md', 'delta is\nthe probability of that.\n', 'not what delta means'),
    ('delta_words', 'src/base/spoiled.md', 'It changes the od' 'ds of any\nconclusion by at most e^epsilon.\n', 'not what delta means'),
    ('exact_statistics', 'src/methods/spoiled.c', 'long f(const hr_exact *e) { return e->unpaid; }\n', 'look at exact statistics'),
    ('exact_statistics', 'src/trees/grow/spoiled.c', 'long f(const hr_exact *e) { return e->unpaid; }\n', 'look at exact statistics'),
    ('exact_statistics', 'src/trees/tree/spoiled.c', 'long f(const hr_exact *e) { return e->unpaid; }\n', 'look at exact statistics'),
    ('exact_statistics', 'src/fit/spoiled.c', 'long f(const hr_exact *e) { return e->unpaid; }\n', 'look at exact statistics'),
    ('exact_statistics', 'src/privacy/ledger/spoiled.c', 'long f(const hr_exact *e) { return e->unpaid; }\n', 'look at exact statistics'),
    ('exact_statistics', 'src/methods/simfl/spoiled.c', 'long f(const hr_exact *e) { return e->unpaid; }\n', 'look at exact statistics'),
    ('exact_statistics', 'src/privacy/crypto/spoiled.c', 'void f(hr_noisy *n) { n->paid += 1; }\n', 'makes released statistics'),
    ('exact_statistics', 'src/trees/grow/grow.c', 'long f(const hr_exact *e) { return e->unpaid; }\n', 'look at exact statistics'),
    ('exact_statistics', 'src/methods/spoiled.c', '#include "trees/stats/label_sums.h"\n', 'without privacy'),
    ('exact_statistics', 'src/trees/grow/private_splitter.c', '#include "trees/stats/split_gains.h"\n', 'without privacy'),
    ('exact_statistics', 'src/methods/hedge/hedge_machine.c', 'size_t f(const hr_data *d) { return hr_data_rows(d); }\n', 'sees released values only'),
    ('exact_statistics', 'src/tables/bins/edge_machine.c', 'void f(hr_exact *cells) { (void)cells; }\n', 'sees released values only'),
    ('exact_statistics', 'src/trees/cluster/worker.c', 'uint64_t f(hr_csprng *coins) { return hr_csprng_u64(coins); }\n', 'neither draw nor pay'),
    ('exact_statistics', 'src/trees/grow/depth_first.c', 'uint8_t f(const hr_binned *b) { return b->tiles[0]; }\n', 'sees no record'),
    ('exact_statistics', 'src/trees/grow/depth_first.c', 'int f(const struct x *x) { return x->labels->values[0]; }\n', 'sees no record'),
    ('exact_statistics', 'src/trees/grow/depth_first.c', 'uint32_t f(const struct x *x) { return x->rows[0]; }\n', 'sees no record'),
    ('exact_statistics', 'src/trees/grow/depth_first.c', 'size_t f(const pending *at) { return at->run.begin; }\n', 'sees no record'),
    ('exact_statistics', 'src/trees/grow/private_splitter.c', '#include "trees/records/forest_records.h"\n', 'without privacy'),
    ('exact_statistics', 'src/trees/tree/spoiled.c', 'void f(hr_noisy *n) { n->paid += 1; }\n', 'makes released statistics'),
    ('exact_statistics', 'src/trees/tree/spoiled.c', 'void f(hr_noisy *n) { ++n[3].paid; }\n', 'makes released statistics'),
    ('exact_statistics', 'src/trees/tree/spoiled.c', 'long *f(hr_noisy *n) { return &n->paid; }\n', 'makes released statistics'),
    ('exact_statistics', 'src/trees/tree/spoiled.c', 'hr_noisy f(void) { return (hr_noisy){.paid = 1}; }\n', 'makes released statistics'),
    ('exact_statistics', 'src/trees/tree/spoiled.c', 'void f(void) { hr_noisy n[2] = {{1}, {2}}; g(n); }\n', 'makes released statistics'),
    ('exact_statistics', 'src/trees/tree/spoiled.c', 'hr_noisy *f(void *p) { return (hr_noisy *)p; }\n', 'makes released statistics'),
    ('exact_statistics', 'src/tables/data/spoiled.c', 'void f(void) { printf("x"); }\n', 'does not print'),
    ('exact_statistics', 'src/tables/data/spoiled.c', 'void f(void) { exit(1); }\n', 'does not end the program'),
    ('exact_statistics', 'src/tables/data/spoiled.c', 'char *f(void) { return getenv("HOME"); }\n', 'environment'),
    ('exact_statistics', 'src/tables/data/spoiled.c', 'void f(void) { signal(2, 0); }\n', 'whole program'),
    ('size', 'src/base/spoiled.c', 'static int f(int x) {\n' + '    x++;\n' * 43 + '    return x;\n}\n', 'f has 46 lines'),
    ('size', 'cli/spoiled.c', 'static int f(int a, int b, int c, int d, int e, int g[2], int (*h)(int, int)) {\n}\n', 'f has 7 parameters'),
    ('size', 'src/base/spoiled.c', '/* ' + 'x' * 105 + ' */\n', 'the line has 111 columns'),
    ('size', 'src/base/spoiled.h', 'int ' + 'x' * 106 + ';\n', 'the line has 111 columns'),
    ('size', 'cli/spoiled.c', '/* x */\n' * 521, 'the file has 521 lines'),
    ('abi', 'include/hedgerow/spoiled.h', 'HR_API int hr_spoiled(void);\n', "'int hr_spoiled(void)' is not listed"),
    ('abi', 'include/hedgerow/spoiled.h', 'enum { HR_SPOILED };\n', "'HR_SPOILED = 0' is not listed"),
    ('abi', 'tests/hygiene/abi.txt', 'int hr_spoiled(void) @HEDGEROW_0.1\n', "'int hr_spoiled(void)' is gone"),
    ('abi', 'tests/hygiene/abi.txt', 'HR_OK = 7\n', "changed from 'HR_OK = 7'"),
    ('fields', 'include/hedgerow/spoiled.h', 'typedef struct hr_spoiled {\n    int x;\n} hr_spoiled;\n', 'hr_spoiled has fields that are not listed'),
    ('fields', 'tests/hygiene/fields.txt', '    int spoiled\n', "'int spoiled' is not where it was"),
    ('fields', 'tests/hygiene/fields.txt', 'hr_spoiled\n', 'hr_spoiled is no public struct'),
    ('rooms', 'src/attic/spoiled.h', 'int x;\n', 'src/attic:1: is no wing'),
    ('rooms', 'src/LAYERS', '\nattic: base\n', 'put them in the order'),
    ('rooms', 'src/trees/grow/spoiled_#.proof.md', 'Believe me.\n', 'src/trees/grow:1: the room has'),
    ('rooms', 'src/base/spoiled.c', 'int x;\n' * 59, 'has 59 lines, below 60'),
    ('rooms', 'src/base/spoiled.h', 'int x;\n' * 24, 'has 24 lines, below 25'),
    ('rooms', 'src/base/log.c', '\n' * 60, 'base/log is not short'),
    ('rooms', 'src/base/arena.c', 'struct hr_gate {\n    int x;\n};\n', 'the type hr_gate is defined in src/base/arena.c'),
    ('rooms', 'src/base/text/number_text.c', 'typedef int (*wide)(int);\n', 'the type wide is defined in src/base/text/number.c'),
    ('rooms', 'docs/explanation/architecture.md', '\n| `tables/data/` | tables | gate | |\n', 'hr_gate is no type of tables/data'),
    ('single_use', 'src/base/spoiled.c', 'static int once(void) {\n    return 1;\n}\nint twice(void) {\n    return once();\n}\n' + '\n' * 200,
     'of 1 static functions 1 are used once'),
    ('method_names', 'src/fit/spoiled.c', 'const void *spoiled = &hr_method_rf;\n', 'hr_method_rf is named outside'),
    ('method_names', 'src/models/model/spoiled.c', 'static const char *const spoiled = "dpboost";\n', 'the method "dpboost" is named outside'),
    ('words', 'src/base/spoiled.c', '/* TO' 'DO: finish */\n', 'work left over'),
    ('words', 'src/models/spoiled.c', '/* A leaf says what it said, and says it. */\n', '"say" comes 3 times in the comments of src/models'),
    ('words', 'src/tables/data/spoiled.c', '/* Who asks is told. ' + 'Ask, ' * 18 + 'ask again. */\n', '"ask" comes 20 times in the comments of src/tables'),
    ('words', 'src/base/spoiled.c', '/* see /wor' 'k/notes */\n', 'a path of one machine'),
    ('words', 'src/base/spoiled.c', 'static int hr_machine_tell(int x) { return x; }\n', 'the name hr_machine_tell'),
    ('words', 'cli/spoiled.c', 'static int tell_misfits;\n', 'the name tell_misfits'),
    ('results', 'docs/reference/results.md', '```{measured} absent\n```\n', 'there is no docs/reference/results/absent.json'),
    ('results', 'docs/reference/results/spoiled.json', MEASURED % ('"x"', '1'), 'no page shows it'),
    ('results', 'docs/reference/results/spoiled.json', MEASURED % ('"x"', '1, 2'), '2 cells, 1 columns'),
    ('results', 'docs/reference/results/spoiled.json', MEASURED % ('"x"', '[1, "2"]'), 'a cell is no number'),
    ('results', 'docs/reference/results/spoiled.json', MEASURED % ('""', '1'), 'a column has no name'),
    ('results', 'docs/reference/results/spoiled.json', '{"tables": [{"columns": ["x"], "rows": [[1]]}]}', 'names no command'),
    ('results', 'docs/reference/results/spoiled.json', '{"tables": [{"columns": ["x"], "rows": [[1]]}]}', 'does not say what its numbers mean'),
    ('results', 'docs/reference/results/spoiled.json', MEASURED % ('"x"', '1'), 'does not list its settings'),
    ('results', 'docs/reference/results/plain.json', '{', 'is no JSON'),
    ('papers', 'docs/reference/papers.md', '\n## Another\n', 'has not the two tables'),
    ('papers', 'docs/reference/papers.md', PAPER % ('| x | `src/absent.c` | | x | x | |', ''), 'there is no src/absent.c'),
    ('papers', 'docs/reference/papers.md', PAPER % ('| x | `README.md` | `id3: absent` | x | x | |', ''), 'id3 has no absent'),
    ('papers', 'docs/reference/papers.md', PAPER % ('| x | `README.md` | `job: absent` | x | x | |', ''), 'a job has no field absent'),
    ('papers', 'docs/reference/papers.md', PAPER % ('| x | `README.md` | `train: --absent` | x | x | |', ''), 'train has no --absent'),
    ('papers', 'docs/reference/papers.md', PAPER % ('| x | `README.md` | absent | | x | |', ''), 'Mode paper is empty'),
    ('papers', 'docs/reference/papers.md', PAPER % ('', '| x | x | `bench/absent.py` | x |'), 'there is no bench/absent.py'),
    ('papers', 'docs/reference/papers.md', PAPER % ('', '| x | x | `bench/id3.py --absent` | x |'), 'bench/id3.py has no --absent'),
    ('references', 'examples/spoiled.c', '/* See docs/absent.md. */\n', 'there is no page docs/absent.md'),
    ('references', 'examples/spoiled.md', 'See [here](absent.txt).\n', 'there is no absent.txt'),
    ('references', 'docs/explanation/privacy.md', 'See [here](../../tests/meson.build).\n', 'the site has no tests/meson.build'),
    ('claims', 'README.md', '\nOnly noisy sums leave a building.\n', 'README.md:1: promises what'),
    ('claims', 'docs/spoiled.md', '- **No party can\n  read** a [record](absent.md).\n', 'No party can read a record.'),
    ('claims', 'cli/spoiled.c', 'const char *x = "Nobody learns "\n    "a thing.";\n', 'Nobody learns a thing.'),
    ('claims', 'src/methods/spoiled.c', 'const char *x = "(%s, %s)-differentially private";\n', 'spoiled.c:1: promises what'),
    ('claims', 'python/hedgerow/spoiled.py', '\"\"\"The guarantee holds.\"\"\"\n', 'spoiled.py:1: promises what'),
    ('claims', 'man/hedgerow.1', '\n.B serve\nsends what\n.B may be published\nafterwards.\n', 'serve sends what may be published afterwards.'),
    ('claims', 'docs/reference/claims.md', CLAIM % ('It is safe.', 'README.md', '../explanation/privacy.md', 'tests/hygiene/claims.py', 'main'), 'README.md does not say'),
    ('claims', 'docs/reference/claims.md', CLAIM % ('# Hedgerow', 'absent.md', '../explanation/privacy.md', 'tests/hygiene/claims.py', 'main'), 'there is no absent.md'),
    ('claims', 'docs/reference/claims.md', CLAIM % ('Hedgerow', 'README.md', '../absent.md', 'tests/hygiene/claims.py', 'main'), 'there is no proof docs/absent.md'),
    ('claims', 'docs/reference/claims.md', CLAIM % ('Hedgerow', 'README.md', '../explanation/privacy.md), *Absent*; [x](../explanation/privacy.md', 'tests/hygiene/claims.py', 'main'), 'no section "Absent"'),
    ('claims', 'docs/reference/claims.md', CLAIM % ('Hedgerow', 'README.md', '../explanation/privacy.md', 'tests/absent.c', 'main'), 'there is no test tests/absent.c'),
    ('claims', 'docs/reference/claims.md', CLAIM % ('Hedgerow', 'README.md', '../explanation/privacy.md', 'tests/hygiene/claims.py', 'mai'), 'has no test "mai"'),
    ('faults', 'docs/reference/faults.md', FAULT % ('0', 'tests/absent.c', 'main'), 'there is no test tests/absent.c'),
    ('faults', 'docs/reference/faults.md', FAULT % ('0', 'tests/nats/wait.py', 'mai'), 'has no test "mai"'),
    ('faults', 'docs/reference/faults.md', FAULT % ('0', 'tests/hygiene/claims.py', 'main'), 'compares files'),
    ('faults', 'docs/reference/faults.md', FAULT % ('99', 'tests/nats/wait.py', 'test'), 'no exit code 99'),
    ('faults', 'docs/reference/faults.md', FAULT % ('some', 'tests/nats/wait.py', 'test'), 'it names no exit code'),
    ('soundness', 'docs/explanation/soundness.md', STEP % ('../absent.md', 'tests/hygiene/claims.py', 'main', 'none'), 'there is no proof docs/absent.md'),
    ('soundness', 'docs/explanation/soundness.md', STEP % ('privacy.md', 'tests/absent.c', 'main', 'none'), 'there is no test tests/absent.c'),
    ('soundness', 'docs/explanation/soundness.md', STEP % ('privacy.md', 'tests/hygiene/claims.py', 'mai', 'none'), 'has no test "mai"'),
    ('soundness', 'docs/explanation/soundness.md', STEP % ('privacy.md', 'tests/hygiene/claims.py', 'main', '`bins/absent`'), 'no fault has the name bins/absent'),
    ('soundness', 'docs/explanation/soundness.md', STEP % ('privacy.md', 'tests/hygiene/claims.py', 'main', '-'), 'it names no planted fault'),
    ('soundness', 'docs/explanation/soundness.md', QUESTION % ('[ ]', 'Absent'), 'the chain has no link Absent'),
    ('soundness', 'docs/explanation/soundness.md', QUESTION % ('[x]', 'Noise'), 'an open box'),
    ('soundness', 'docs/explanation/soundness.md', '\nSee `src/absent.c`.\n', 'there is no src/absent.c'),
    ('formats', 'src/tables/infer/spoiled.c', 'int f(int x) { return x == HR_FORMAT_CSV; }\n', 'names the format HR_FORMAT_CSV'),
    ('formats', 'src/tables/readers/spoiled.c', '/* As in LIBSVM tables. */\n', 'names the format LIBSVM'),
    ('formats', 'src/tables/source/table_source.c', 'int f(void) { return hr_arff_looks("", 0); }\n', 'names the format ARFF'),
    ('formats', 'src/fit/spoiled.c', 'const char *x = "or gzip";\n', 'names the format gzip'),
    ('tested', 'src/base/spoiled.c', 'int x;\n', 'src/base/spoiled.c:1: no test'),
    ('tested', 'tests/base/test_gaussian.c', 'int x;\n', 'gaussian has a test of its own'),
    ('format', 'src/base/spoiled.c', 'int   f (void);\n', 'spoiled.c'),
]


def run(check, root, compiler):
    """The exit code of a check and what it prints. It runs in this process, where texts that did not change are parsed once."""
    printed, code = io.StringIO(), 0
    sys.argv = [check + '.py', root] + {'headers': compiler, 'papers': [os.path.join(compiler[0], 'cli', 'hedgerow')]}.get(check, [])
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(os.path.join(HERE, check + '.py'), run_name='__main__')
        except SystemExit as end:
            code = end.code or 0
        except Exception:
            print(traceback.format_exc())
            code = 2
    return code, printed.getvalue()


def spoil(root, path, text):
    """Appends, to a whole room of files if the path holds a '#'; returns what undoes it."""
    if '#' in path:
        undone = [spoil(root, path.replace('#', str(number)), text) for number in range(26)]
        return lambda: [undo() for undo in undone]
    full = os.path.join(root, path)
    before = source.read(root, path) if os.path.exists(full) else None
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, 'a', encoding='utf-8') as f:
        f.write(text)

    def undo():
        if before is None:
            os.remove(full)
            if not os.listdir(os.path.dirname(full)):
                os.rmdir(os.path.dirname(full))
        else:
            with open(full, 'w', encoding='utf-8') as f:
                f.write(before)
    return undo


def copy(original, root, folders, files=()):
    for folder in folders:
        shutil.copytree(os.path.join(original, folder), os.path.join(root, folder), ignore=shutil.ignore_patterns('__pycache__'))
    for file in files:
        shutil.copy(os.path.join(original, file), root)


def main():
    original, compiler, problems = sys.argv[1], sys.argv[2:], []
    source.code = functools.lru_cache(maxsize=None)(source.code)
    source.matches = functools.lru_cache(maxsize=None)(source.matches)
    source.functions = functools.lru_cache(maxsize=None)(source.functions)
    with tempfile.TemporaryDirectory() as copies:
        whole = os.path.join(copies, 'whole')
        copy(original, whole, COPIED, COPIED_FILES)
        for check, folders in NARROW.items():
            copy(original, os.path.join(copies, check), folders)
        for check, path, text, word in CASES:
            root = os.path.join(copies, check) if check in NARROW else whole
            undo = spoil(root, path, text)
            code, printed = run(check, root, compiler)
            undo()
            if code != source.SKIPPED and (code != 1 or word not in printed):
                problems.append('%s.py did not see this in %s:\n%s\nexit code %d, and it said:\n%s' %
                                (check, path, text[:200], code, printed[:1000]))
    print('%d violations tried' % len(CASES))
    source.report(problems)


main()
