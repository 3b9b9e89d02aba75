// What the searches of the pages find.

const RANGE = /^(\d+)-(\d+)$/; // "1-8": boards 1 to 8

/** Whether a search finds a board, by its name or another text: "anna", "7", "1-8, 12". */
export function finds(asked, board, texts) {
  const whole = asked.trim().toLowerCase();
  const parts = whole.split(",").map((part) => part.trim());
  const ranges = parts.map((part) => part.match(RANGE)).filter(Boolean);
  if (ranges.length === 0) return [board, ...texts].some((text) => text.toLowerCase().includes(whole));
  const isIn = ([, first, last]) => /^\d+$/.test(board) && +first <= +board && +board <= +last;
  return ranges.some(isIn) || parts.includes(board.toLowerCase());
}
