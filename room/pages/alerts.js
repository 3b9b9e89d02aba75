// What reaches a director who does not look at the page: a screen that stays on, notifications,
// vibration, the icon of the tab. Browsers allow most of it under https or on the hub's computer only.

import { byId, setAttribute, setText } from "./dom.js";

const KEY = "gammonclock.alerts"; // in the browser: "on"
const BUZZ_MS = [200, 100, 200];
const ICONS = { calm: "/static/icon.svg", asks: "/static/icon_asks.svg" };

/** Show in the tab's icon whether a board asks for the director. */
export function showIcon(asks) {
  setAttribute(document.querySelector("link[rel=icon]"), "href", ICONS[asks ? "asks" : "calm"]);
}

/** The button, what it has switched on, and what the browser does not allow. */
export class Alerts {
  #say;
  #lock = null; // keeps the screen on
  #on = false;

  constructor(say) {
    this.#say = say;
    byId("alerts").addEventListener("click", () => this.#turn(!this.#on, true));
    document.addEventListener("visibilitychange", () => this.#keepAwake()); // it took the lock
    this.#turn(localStorage.getItem(KEY) === "on", false);
  }

  /** Tell the director in words, if the page cannot be seen; and shake the phone. */
  tell(board, text) {
    if (!this.#on) return;
    navigator.vibrate?.(BUZZ_MS);
    if (!document.hidden || !this.#notifies) return;
    try {
      new Notification(text, { tag: board });
    } catch {
      // on a phone only an installed page may
    }
  }

  get #notifies() {
    return "Notification" in window && Notification.permission === "granted";
  }

  async #turn(on, asked) {
    this.#on = on;
    localStorage.setItem(KEY, on ? "on" : "off");
    if (on && asked && "Notification" in window) await Notification.requestPermission();
    await this.#keepAwake();
  }

  /** Take the lock or give it back, and say whether there is one: a hidden page has none. */
  async #keepAwake() {
    if (!this.#on) {
      await this.#lock?.release();
      this.#lock = null;
    } else if (!document.hidden) {
      this.#lock = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null;
    }
    this.#draw();
  }

  #draw() {
    setText(byId("alerts"), this.#say(this.#on ? "page_alerts_off" : "page_alerts_on"));
    setText(byId("alerts-said"), this.#on ? this.#said() : "");
  }

  /** Return what the browser does, and what it does not. */
  #said() {
    if (!window.isSecureContext) return this.#say("page_alerts_insecure");
    const awake = this.#lock ? "page_alerts_awake" : "page_alerts_sleeps";
    const notifies = this.#notifies ? "page_alerts_notifies" : "page_alerts_silent";
    return `${this.#say(awake)} ${this.#say(notifies)}`;
  }
}
