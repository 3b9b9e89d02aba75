// The sound for a board that asks for the director; the choice is remembered.

const KEY = "gammonclock-sound";
const TONES = [
  { hertz: 880, at: 0 },
  { hertz: 1175, at: 0.18 },
  { hertz: 880, at: 0.36 },
]; // seconds after the beginning
const TONE_S = 0.15;
const VOLUME = 0.25;

/**
 * A sound that can be switched off.
 *
 * Browsers allow sound only after a click or a key on the page: until then `state` is "waits".
 */
export class Sound {
  #context = null;
  #changed;

  /** `changed(state)` is called at the beginning and whenever the state changes. */
  constructor(changed) {
    this.#changed = changed;
    // Not "pointerdown": what this changes on the page would move from under a pressed mouse.
    for (const kind of ["click", "keydown"]) {
      document.addEventListener(kind, () => this.#allow());
    }
    this.#tell();
  }

  /** "on", "off", or "waits": on, but the browser does not allow it yet. */
  get state() {
    if (localStorage.getItem(KEY) === "off") return "off";
    return this.#context?.state === "running" ? "on" : "waits";
  }

  /** Switch the sound on or off; it is on after the click for which it waited, and is heard. */
  async toggle() {
    localStorage.setItem(KEY, this.state === "on" ? "off" : "on");
    await this.#allow();
    this.play();
    this.#tell();
  }

  /** Play the sound, if it is on. */
  play() {
    if (this.state !== "on") return;
    for (const { hertz, at } of TONES) this.#tone(hertz, this.#context.currentTime + at);
  }

  async #allow() {
    if (this.state !== "waits") return;
    this.#context ??= new AudioContext();
    await this.#context.resume();
    this.#tell();
  }

  #tone(hertz, at) {
    const tone = new OscillatorNode(this.#context, { frequency: hertz });
    const volume = new GainNode(this.#context, { gain: 0 });
    volume.gain.setValueAtTime(VOLUME, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + TONE_S);
    tone.connect(volume).connect(this.#context.destination);
    tone.start(at);
    tone.stop(at + TONE_S);
  }

  #tell() {
    this.#changed(this.state);
  }
}
