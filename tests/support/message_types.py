#!/usr/bin/env python3
"""All types of hedgerow.proto, from the header that protoc-c makes of it: message_types.h, so that no test has a list of its own that lacks one.
usage: message_types.py HEDGEROW.PB-C.H"""
import re
import sys

DESCRIPTOR = re.compile(r'^extern const ProtobufCMessageDescriptor (\w+);$', re.M)
PAGE = '''/* Generated from hedgerow.proto by tests/support/message_types.py. */
#include "federation/protocol/hedgerow.pb-c.h"

static const ProtobufCMessageDescriptor *const message_types[] = {
    %s};
enum { MESSAGE_TYPES = sizeof message_types / sizeof *message_types };
'''

with open(sys.argv[1], encoding='utf-8') as file:
    names = DESCRIPTOR.findall(file.read())
assert names, 'no message in ' + sys.argv[1]
print(PAGE % ',\n    '.join('&' + name for name in names), end='')
