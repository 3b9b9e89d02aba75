"""A simulated clock on a terminal, with the real panels' pixels where they fit.

`app` is the screen and the keyboard, `widgets` its panels and plungers: a face pixel by pixel, or
condensed where there is no room for that. Imports from hardware only the display.
"""
