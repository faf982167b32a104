"""Pictures of curves in SVG, by matplotlib."""
import matplotlib
matplotlib.use('svg')
from matplotlib import pyplot

# Text stays text, and the same figures give the same file.
STYLE = {'svg.fonttype': 'none', 'svg.hashsalt': 'hedgerow', 'font.size': 9, 'axes.spines.top': False, 'axes.spines.right': False,
         'axes.grid': True, 'grid.color': '#eeeeee', 'axes.axisbelow': True, 'figure.figsize': (7.2, 4)}


def label(axis, which, scale):
    getattr(axis, 'set_%sscale' % which)('log' if scale.log else 'linear')
    getattr(axis, 'set_%slim' % which)(scale.low, scale.high)
    getattr(axis, 'set_%sticks' % which)([at for at, _ in scale.ticks], [name for _, name in scale.ticks])
    getattr(axis, 'set_%slabel' % which)(scale.title)
    getattr(axis, which + 'axis').set_minor_locator(matplotlib.ticker.NullLocator())


def draw(axis, picture):
    axis.set_title(picture.title, loc='left', fontsize=10)
    label(axis, 'x', picture.x)
    label(axis, 'y', picture.y)
    for curve in picture.curves:
        if hasattr(curve, 'band'):
            axis.fill_between(*zip(*curve.band), color=curve.colour, alpha=.2, linewidth=0)
        axis.plot(*zip(*curve.points), color=curve.colour, label=curve.title, marker='o', markersize=4)
    for (value, said), dashes in zip(picture.levels, ('--', ':')):
        axis.axhline(value, color='#777777', linestyle=dashes, linewidth=1, label=said)


def write(figure, digest, path):
    """`digest` goes into the file: it tells which figures were drawn."""
    figure.savefig(path, metadata={'Date': None, 'Description': digest})
    pyplot.close(figure)


def save(picture, digest, path):
    with matplotlib.rc_context(STYLE):
        figure, axis = pyplot.subplots(layout='constrained')
        draw(axis, picture)
        axis.legend(loc='center left', bbox_to_anchor=(1, .5), frameon=False)
        write(figure, digest, path)


def save_panels(panels, digest, path):
    """Up to five pictures, three in a row, and in the last place what their curves are called."""
    with matplotlib.rc_context({**STYLE, 'figure.figsize': (9.6, 5.6)}):
        figure, axes = pyplot.subplots(2, 3, layout='constrained')
        figure.suptitle(panels.title, fontsize=11)
        for axis, picture in zip(axes.flat, panels.pictures):
            draw(axis, picture)
        for axis in axes.flat[len(panels.pictures):]:
            axis.set_axis_off()
        named = {name: line for axis in axes.flat for line, name in zip(*axis.get_legend_handles_labels())}
        axes.flat[-1].legend(named.values(), named.keys(), loc='center', frameon=False)
        write(figure, digest, path)
