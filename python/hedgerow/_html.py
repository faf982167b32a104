"""What objects look like in a notebook: headings, tables and folded parts as HTML. Every text is escaped; colours are the notebook's own."""
from __future__ import annotations

from html import escape
from typing import Collection, Iterable, Sequence

__all__ = ['block', 'fold', 'note', 'table']

CELL = 'padding:.2em .9em .2em 0;vertical-align:top;white-space:normal;text-align:'


def _row(tag: str, cells: Iterable[object], numeric: Collection[int]) -> str:
    return '<tr>%s</tr>' % ''.join('<%s style="%s%s">%s</%s>' % (tag, CELL, 'right' if k in numeric else 'left', escape(str(cell)), tag)
                                   for k, cell in enumerate(cells))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], numeric: Collection[int] = (), most: int = 100) -> str:
    """A table; of `rows` the first `most`, and how many more there are. Columns of the indices `numeric` are aligned to the right.
    An empty `head` makes a table without a line of headings."""
    listed = list(rows)
    body = ''.join(_row('td', row, numeric) for row in listed[:most])
    more = len(listed) - most
    left_out = note('%d more %s not shown.' % (more, 'row is' if more == 1 else 'rows are')) if more > 0 else ''
    return '<table>%s<tbody>%s</tbody></table>%s' % ('<thead>%s</thead>' % _row('th', head, numeric) if head else '', body, left_out)


def note(text: str) -> str:
    """A paragraph."""
    return '<p style="margin:.3em 0">%s</p>' % escape(text)


def fold(summary: str, *parts: str) -> str:
    """Parts, which are HTML already, behind a line that opens them."""
    return '<details><summary style="cursor:pointer">%s</summary>%s</details>' % (escape(summary), ''.join(parts))


def block(title: str, *parts: str) -> str:
    """The whole: a title, and parts, which are HTML already."""
    return '<div><p style="margin:.3em 0"><strong>%s</strong></p>%s</div>' % (escape(title), ''.join(parts))
