// How many columns of tiles fill a room of the screen, and how large their type can be.

const WIDTH_EM = 11.4; // of a tile in the size of its own type, gap included
const HEIGHT_EM = 4.5;

/**
 * Return the columns and the type's size in pixels that show `count` tiles largest in width x height.
 *
 * `overflows` says that they do not fit at the least size that can be read: then the page scrolls.
 */
export function fit(count, width, height, { least, most }) {
  const sizes = Array.from({ length: Math.max(1, count) }, (_, at) => {
    const rows = Math.ceil(count / (at + 1));
    return Math.min(width / (at + 1) / WIDTH_EM, height / rows / HEIGHT_EM);
  });
  const size = Math.max(...sizes);
  const best = sizes.indexOf(size) + 1;
  if (size >= least) return { columns: best, size: Math.min(size, most), overflows: false };
  const columns = Math.max(1, Math.floor(width / (least * WIDTH_EM)));
  return { columns, size: least, overflows: true };
}
