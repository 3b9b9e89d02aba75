// Notices by way of another program: where they go, and a button that sends one as a test.

import { ask, token } from "./director.js";
import { byId, setText } from "./dom.js";
import { messageWording } from "./messages.js";

/** Show the button, if the hub sends notices and this is the director's page. */
export async function offerTest(say) {
  if (!token) return;
  const { to } = await ask("GET", "/api/1/notify");
  if (!to) return;
  byId("notify").hidden = false;
  setText(byId("notify-said"), say("page_notify_to", { to }));
  byId("notify-test").addEventListener("click", async () => {
    setText(byId("notify-said"), "…");
    const failed = await ask("POST", "/api/1/notify").then(() => null, messageWording(say));
    const sent = failed === null;
    const said = sent ? say("page_notify_sent", { to }) : say("page_notify_failed", { why: failed });
    setText(byId("notify-said"), said);
  });
}
