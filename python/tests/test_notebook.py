"""What objects look like in a notebook and at a prompt."""
from hedgerow import _html


def test_html__escapes_every_text():
    text = _html.block('<b>', _html.note('a & b'), _html.table(['<i>'], [['"x"', '<td>']]), _html.fold('</summary>', _html.note('within')))
    assert '<b>' not in text and '&lt;b&gt;' in text and 'a &amp; b' in text
    assert '<i>' not in text and '&quot;x&quot;' in text and '&lt;td&gt;' in text and '&lt;/summary&gt;' in text


def test_html__aligns_numbers_and_says_how_many_rows_are_left_out():
    text = _html.table(['name', 'n'], [['a', 1], ['b', 2], ['c', 3]], numeric={1}, most=2)
    assert text.count('text-align:right') == 3 and text.count('<tr>') == 3
    assert '1 more row is not shown.' in text and 'more row' not in _html.table([], [['a']])
    assert '<thead>' not in _html.table([], [['a']])
