// What all pages have in common: the feed, the boards, one timer, the banner, the reload.

import { byName } from "./board_words.js";
import { byId, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { Ticker } from "./ticker.js";
import { messageWording } from "./messages.js";

/**
 * Follow the hub, or one board of it by its id, and draw whenever something changes.
 *
 * A view has `draw(boards, nowNs)`: boards by id, in the order of their names. It returns when the
 * next text changes by the hub's clock (null: never). It may have `changed(board, nowNs)`,
 * `gone(id)`, `result(result)`, `offer(offer)`, `ruling(ruling)` and `forget()`.
 */
export function follow(view, say, board = null) {
  let boards = new Map(); // in the order of their names
  let sorted = true;
  let connected = true;
  const ticker = new Ticker((nowMs) => {
    if (!feed.clock.known) return null;
    if (!sorted) boards = new Map([...boards].sort(([, one], [, other]) => byName(one, other)));
    sorted = true;
    const shown = connected ? boards : doubtful(boards);
    const next = view.draw(shown, feed.clock.hubNs(nowMs));
    return next === null ? null : feed.clock.pageMs(next);
  });
  const feed = new Feed(board, {
    board(board) {
      sorted &&= boards.has(board.id);
      boards.set(board.id, board);
      if (feed.clock.known) view.changed?.(board, feed.clock.hubNs(performance.now()));
      ticker.ask();
    },
    gone(id) {
      boards.delete(id);
      view.gone?.(id);
      ticker.ask();
    },
    result(result) {
      view.result?.(result);
    },
    offer(offer) {
      view.offer?.(offer);
      ticker.ask();
    },
    ruling(ruling) {
      view.ruling?.(ruling);
    },
    forget() {
      boards.clear();
      view.forget?.();
      ticker.ask();
    },
    troubles(said) {
      showTroubles(said.map(messageWording(say)));
    },
    connection(open) {
      connected = open;
      showConnection(open, say);
      ticker.ask();
    },
    newVersion() {
      location.reload();
    },
    timeChanged() {
      ticker.ask();
    },
  });
  window.addEventListener("resize", () => ticker.ask());
  return ticker;
}

const doubted = new WeakMap(); // the same board again, so that it is drawn only when it changes

/** Return the boards with all times marked as uncertain. */
function doubtful(boards) {
  const entries = [...boards].map(([id, board]) => {
    if (!doubted.has(board)) doubted.set(board, { ...board, certain: false });
    return [id, doubted.get(board)];
  });
  return new Map(entries);
}

function showConnection(open, say) {
  const banner = byId("connection");
  banner.classList.toggle("shown", !open);
  setText(banner, open ? "" : say("page_no_connection"));
}

function showTroubles(texts) {
  const banner = byId("troubles");
  if (banner === null) return;
  banner.classList.toggle("shown", texts.length > 0);
  setText(banner, texts.join(" · "));
}
