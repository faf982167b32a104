"""Invented tables, for trials and examples."""
from __future__ import annotations

from typing import Any

from ._native import call, ffi, lib, take_text
from .schema import Schema

__all__ = ['generate_hospital']


def generate_hospital(rows: int, *, seed: int = 1, visits: int = 0, times: bool = False) -> tuple[str, Schema]:
    """A table of invented patients as CSV, and the public schema that belongs to it (`hedgerow generate hospital`; docs/reference/hospital.md).

    The label `readmitted` is 'yes' or 'no'. rows: how many. seed: the same seed gives the same table everywhere. visits: every patient
    has 1 to so many records, and a column `patient_id` says whose each is, the schema's unit; 0: every record is another patient's. times: instead the
    label is the time `followed`, and `readmitted` says whether it ended with a readmission (1) or before one (0).

        text, schema = hedgerow.generate_hospital(20000)
        train = pandas.read_csv(io.StringIO(text))

    Fails: ArgumentError."""
    options, yaml = ffi.new('hr_generate_options *'), ffi.new('char **')
    lib.hr_generate_options_init_sized(options, ffi.sizeof('hr_generate_options'), lib.HR_GENERATE_HOSPITAL)
    options.rows, options.seed, options.visits, options.times = rows, seed, visits, times
    pieces: list[bytes] = []
    keeper = ffi.new_handle(pieces)
    call(lib.hr_generate, options, lib.hedgerow_write, keeper)
    call(lib.hr_generate_schema, options, yaml)
    return b''.join(pieces).decode(), Schema.parse(take_text(yaml[0]))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_write(user: Any, at: Any, size: int) -> bool:
    pieces: list[bytes] = ffi.from_handle(user)
    pieces.append(bytes(ffi.buffer(at, size)))
    return True
