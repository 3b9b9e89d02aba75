// How many columns of tiles fill a room of the screen, and how large their type can be.

const WIDTH_EM = 11.4; // of a tile in the size of its own type, gap included
const HEIGHT_EM = 4.5;

/**
 * Return the columns and the type's size in pixels that show `count` tiles largest in width x height.
 *
 * `overflows` says that they do not fit at the least size that can be read: then the page scrolls.
 */
export function fit(count, width, height, { least, most }) {
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= Math.max(1, count); columns += 1) {
    const rows = Math.ceil(count / columns);
    const size = Math.min(width / columns / WIDTH_EM, height / rows / HEIGHT_EM);
    if (size > best.size) best = { columns, size };
  }
  if (best.size >= least) return { ...best, size: Math.min(best.size, most), overflows: false };
  const columns = Math.max(1, Math.floor(width / (least * WIDTH_EM)));
  return { columns, size: least, overflows: true };
}
