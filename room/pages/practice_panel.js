// A panel's picture, as its memory holds it: a byte is eight pixels, the topmost in the lowest bit.

const [WIDTH, HEIGHT, PAGES] = [128, 64, 8];
const [LIT, DARK] = [[180, 225, 255, 255], [0, 0, 0, 255]]; // as the light of the panel

/** Return the pixels of a frame in base64, lit or dark, row by row. */
export function pixels(frame, inverted) {
  const bytes = Uint8Array.from(atob(frame), (character) => character.charCodeAt(0));
  const lit = new Array(WIDTH * HEIGHT);
  for (let page = 0; page < PAGES; page += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const on = ((bytes[page * WIDTH + x] >> bit) & 1) === 1;
        lit[(page * 8 + bit) * WIDTH + x] = on !== inverted;
      }
    }
  }
  return lit;
}

/** Return how wide a panel is shown, in CSS pixels: each of its pixels is equally large. */
export function panelWidth(room, ratio) {
  return (Math.max(1, Math.floor((room * ratio) / WIDTH)) * WIDTH) / ratio;
}

/** Draw what a panel shows. */
export function draw(canvas, panel) {
  const context = canvas.getContext("2d");
  const image = context.createImageData(WIDTH, HEIGHT);
  pixels(panel.frame, panel.inverted).forEach((on, at) => {
    image.data.set(on ? LIT : DARK, at * 4);
  });
  context.putImageData(image, 0, 0);
}
