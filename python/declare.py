"""Writes the C source of the extension module from the public headers: the binding declares what they declare, and nothing else.
usage: declare.py HEADER... -o FILE"""
import argparse
import re
import sys

import cffi

# Functions of Python that the library calls back.
CALLBACKS = '''
extern "Python" bool hedgerow_progress(void *user, size_t done, size_t total);
extern "Python" bool hedgerow_should_continue(void *user);
extern "Python" void hedgerow_log_line(void *user, const hr_log_line *line);
extern "Python" bool hedgerow_remark(void *user, const hr_remark *remark);
extern "Python" bool hedgerow_entry(void *user, const hr_ledger_entry *entry);
extern "Python" bool hedgerow_party_goes_on(void *user);
extern "Python" bool hedgerow_party_reloads(void *user);
extern "Python" void hedgerow_party_line(void *user, const hr_log_line *line);
extern "Python" void hedgerow_party_ready(void *user);
extern "Python" void hedgerow_party_progress(void *user, const hr_job_progress *job);
extern "Python" void hedgerow_party_owner(void *user, const hr_owner_report *report);
extern "Python" void hedgerow_party_end(void *user, hr_job_ending ending);
extern "Python" void hedgerow_party_traffic(void *user, const hr_traffic *traffic);
extern "Python" void hedgerow_owner_info(void *user, const hr_owner_info *info);
extern "Python" void hedgerow_policy_line(void *user, const hr_policy_line *line);
extern "Python" bool hedgerow_job(void *user, const hr_job_info *job);
extern "Python" bool hedgerow_charge(void *user, const hr_job_charge *charge);
extern "Python" bool hedgerow_carrier_send(void *user, const char *to, const void *bytes, size_t size);
extern "Python" size_t hedgerow_carrier_receive(void *user, int milliseconds, void *bytes, size_t max);
extern "Python" bool hedgerow_write(void *user, const char *bytes, size_t size);
'''


def declarations(text):
    """A public header without what cffi does not read: comments, the preprocessor's lines, attributes, inline functions."""
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    text = re.sub(r'^#ifdef __cplusplus\n.*?^#endif\n', '', text, flags=re.S | re.M)
    text = re.sub(r'^#(?:[^\n]*\\\n)*[^\n]*\n', '', text, flags=re.M)
    text = re.sub(r'\b(?:HR_API|HR_MUST_CHECK)\b|\bHR_PRINTF\([^)]*\)', '', text)
    return re.sub(r'^\s*static inline\b.*?^}\n', '', text, flags=re.S | re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('headers', nargs='+')
    parser.add_argument('-o', required=True, dest='output')
    args = parser.parse_args()
    builder = cffi.FFI()
    for name in args.headers:
        with open(name, encoding='utf-8') as f:
            builder.cdef(declarations(f.read()))
    builder.cdef(CALLBACKS)
    builder.set_source('hedgerow._hedgerow', '#include <hedgerow/hedgerow.h>', py_limited_api=True)
    builder.emit_c_code(args.output)


if __name__ == '__main__':
    sys.exit(main())
