"""What was measured, in pages: the directives {measured} PART, the tables of docs/reference/results/PART.json, and {drawn} NAME, the picture
of that name that tools/site.sh let bench/plot.py draw beside the page; its text says what the picture shows."""
import pathlib
import sys

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'bench'))
import pages  # noqa: E402


class Measured(SphinxDirective):
    required_arguments = 1

    def run(self):
        folder, part = pathlib.Path(self.env.doc2path(self.env.docname)).parent / 'results', self.arguments[0]
        self.env.note_dependency(folder / (part + '.json'))
        return self.parse_text_to_nodes('\n'.join(pages.markdown(pages.load_shown(folder, part), '**%s**')))


class Drawn(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self):
        return [nodes.image(uri=self.arguments[0] + '.svg', alt=' '.join(self.content))]


def setup(app):
    app.add_directive('measured', Measured)
    app.add_directive('drawn', Drawn)
