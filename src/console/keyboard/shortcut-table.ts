/** Which key does what: single keys, sequences such as `g o`, and combinations with Ctrl or ⌘; knows no browser. */

export interface KeyPress {
  /** As browsers name it: the character, or `Escape`. */
  readonly key: string;
  /** Ctrl or ⌘. */
  readonly mod: boolean;
  readonly alt: boolean;
  /** Someone is writing; letters are letters there. */
  readonly writing: boolean;
}

interface Entry {
  readonly steps: readonly string[];
  readonly run: () => void;
}

/** After this a `g` is no longer the beginning of anything. */
export const sequencePauseMaxMs = 1_200;

export class ShortcutTable {
  readonly #entries: Entry[] = [];
  #begun: string[] = [];
  #lastAtMs = Number.NEGATIVE_INFINITY;

  /** `keys` are steps with spaces between them; a step with Ctrl or ⌘ is written `mod+k`. The latest entry wins. */
  add(keys: string, run: () => void): () => void {
    const entry = { steps: keys.split(' '), run };
    this.#entries.unshift(entry);
    return () => {
      const index = this.#entries.indexOf(entry);
      if (index !== -1) this.#entries.splice(index, 1);
    };
  }

  /** True where the press meant something, so that the browser need not act on it too. */
  press(press: KeyPress, atMs: number): boolean {
    if (press.alt || (press.writing && !press.mod)) {
      this.#begun = [];
      return false;
    }
    if (atMs - this.#lastAtMs > sequencePauseMaxMs) this.#begun = [];
    this.#lastAtMs = atMs;
    const step = press.mod ? `mod+${press.key.toLowerCase()}` : press.key;
    return this.#take([...this.#begun, step]) || (this.#begun.length > 0 && this.#restart(step));
  }

  #restart(step: string): boolean {
    this.#begun = [];
    return this.#take([step]);
  }

  #take(steps: readonly string[]): boolean {
    const begins = this.#entries.filter((entry) => steps.every((step, index) => entry.steps[index] === step));
    const whole = begins.find((entry) => entry.steps.length === steps.length);
    if (whole !== undefined) {
      this.#begun = [];
      whole.run();
      return true;
    }
    if (begins.length > 0) {
      this.#begun = [...steps];
      return true;
    }
    return false;
  }
}
