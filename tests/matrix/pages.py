"""Tables of a page that a script writes between two marks."""


def page_with(path, marks, text):
    """The page as it is, and with that text between its marks."""
    with open(path, encoding='utf-8') as file:
        page = file.read()
    before, rest = page.split(marks[0])
    return page, before + marks[0] + '\n' + text + '\n' + marks[1] + rest.split(marks[1])[1]


def write(path, marks, text):
    _, new = page_with(path, marks, text)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(new)


def is_written(path, marks, text):
    page, new = page_with(path, marks, text)
    return page == new
