"""Write the drawing of the enclosure, and the files of its plates."""

from lab.docs.enclosure import DRAWING, Box, drawing
from lab.docs.enclosure_files import write_files

if __name__ == "__main__":
    DRAWING.write_text(drawing(Box()), encoding="utf-8")
    print(f"wrote {DRAWING.name}, {', '.join(write_files(Box()))}")
