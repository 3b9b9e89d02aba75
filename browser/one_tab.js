// Which tab of a browser has the match: the first one. The others look on, and one of them is next.
//
// A Web Lock says which it is. Where there are none (http from another computer) the tab that plays
// answers those that ask; of two that play, because one slept, the one that began later goes on.

const NAME = "gammonclock-practice"; // of the lock and of the channel
const ANSWER_MS = 500; // within which a tab that plays answers
const AGAIN_MS = 3000; // after which one that looks on asks again: the other may be gone

// Calls `play()` once, when the match is this tab's; until then `watch(shown)`, with what another
// tab shows, or null while that is not known. Returns what tells the others what this tab shows.
export function oneTab(play, watch) {
  const channel = new BroadcastChannel(NAME);
  const number = Math.random(); // of those that ask at once the lowest plays
  let since = 0; // when this tab began to play; 0: it looks on
  let isAsking = false;
  let latest = null;
  let timer = 0;

  function tell(shown) {
    latest = shown;
    channel.postMessage({ since, shown });
  }

  function begin() {
    since = Date.now() + number;
    tell(null);
    play();
    return new Promise(() => {}); // the lock is this tab's until it is closed
  }

  function ask() {
    isAsking = true;
    channel.postMessage({ asks: number });
    wait(begin, ANSWER_MS);
  }

  function wait(next, ms) {
    clearTimeout(timer);
    if (!navigator.locks) timer = setTimeout(next, ms);
  }

  channel.onmessage = ({ data }) => {
    if (data.asks) {
      if (since || (isAsking && number < data.asks)) tell(latest);
    } else if (since) {
      if (!navigator.locks && data.since > since) location.reload();
    } else {
      isAsking = false;
      wait(ask, AGAIN_MS);
      watch(data.shown);
    }
  };
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload()); // it may have gone on
  ask();
  navigator.locks?.request(NAME, { ifAvailable: true }, (lock) => {
    if (lock) return begin();
    watch(null);
    navigator.locks.request(NAME, begin);
    return undefined;
  });
  return tell;
}
