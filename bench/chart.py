"""Pictures of curves in SVG, with the standard library alone."""
import collections
import math

import pages

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 60, 30, 210, 50

# ticks: [(where, what it is called)]; values below `low` or above `high` leave the picture.
Axis = collections.namedtuple('Axis', 'low high ticks title log', defaults=(False,))


def part_of(axis, value):
    """Where between low (0) and high (1)."""
    if axis.log:
        return math.log(value / axis.low) / math.log(axis.high / axis.low)
    return (value - axis.low) / (axis.high - axis.low)


class Chart:
    def __init__(self, title, x, y):
        self.x, self.y = x, y
        self.parts = []
        self.words(LEFT, 18, title)
        self.axes()

    def x_of(self, value):
        return LEFT + (WIDTH - LEFT - RIGHT) * part_of(self.x, value)

    def y_of(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part_of(self.y, min(max(value, self.y.low), self.y.high))

    def words(self, x, y, said, anchor='start', colour='#333'):
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>' % (x, y, anchor, colour, said))

    def axes(self):
        for at, name in self.x.ticks:
            self.parts.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#eee"/>' % (self.x_of(at), self.x_of(at), TOP, HEIGHT - BOTTOM))
            self.words(self.x_of(at), HEIGHT - BOTTOM + 18, name, 'middle')
        for at, name in self.y.ticks:
            self.parts.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#eee"/>' % (LEFT, WIDTH - RIGHT, self.y_of(at), self.y_of(at)))
            self.words(LEFT - 8, self.y_of(at) + 4, name, 'end')
        self.words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, self.x.title, 'middle')

    def level(self, value, said):
        """A dashed line from side to side."""
        at = self.y_of(value)
        self.parts.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#777" stroke-dasharray="5 4"/>' % (LEFT, WIDTH - RIGHT, at, at))
        self.words(WIDTH - RIGHT + 8, at + 4, said, colour='#777')

    def legend(self, colours):
        for i, (title, colour) in enumerate(colours.items()):
            self.words(WIDTH - RIGHT + 8, TOP + 110 + 18 * i, title, colour=colour)

    def curve(self, points, colour):
        path = ' '.join('%.1f,%.1f' % (self.x_of(x), self.y_of(y)) for x, y in points)
        self.parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (path, colour))
        self.parts += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (self.x_of(x), self.y_of(y), colour) for x, y in points
                       if self.y.low <= y <= self.y.high]

    def save(self, path):
        head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' % (WIDTH, HEIGHT)
        pages.write(path, '\n'.join([head, '<rect width="100%" height="100%" fill="white"/>', *self.parts, '</svg>', '']))
