"""The layout of a release's tables: another one is another number, and a reader never opens tables of a layout that it
does not know. Here alone, because what only asks for the number needs no engine."""

LAYOUT = 1
