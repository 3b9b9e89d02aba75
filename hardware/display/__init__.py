"""Two OLED panels of 128x64 pixels: what a face looks like, and how it gets onto the glass.

Drawing: `spelling` (letters that fonts lack), `glyphs` (text), `widgets` (elements of a face),
`layout` (where they go), all pictures of Pillow's. Sending: `framebuffer` (pictures as a panel
stores them), `controllers` (its commands), `i2c` (the bus), `panel` (one panel), `panels` (both,
and their thread). Imports of hardware only the face, the fault latch, the units and the wake-up.
"""
