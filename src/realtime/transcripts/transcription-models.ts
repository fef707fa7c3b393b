/**
 * Which models may transcribe the audio of a live conversation at this moment. The provider reports its settings after it applied
 * them, so what the client sent since then counts as well; before the first report its defaults are unknown.
 */

import type { SessionFacts } from '../../formats/openai-realtime/server-events.ts';

export class TranscriptionModels {
  #reported: SessionFacts | undefined;
  #hasSpoken = false;
  #transcribed = false;
  /** What the client named and the provider did not confirm yet, in the order of its frames. */
  #named: string[] = [];

  reported(facts: SessionFacts): void {
    this.#reported = { ...this.#reported, ...facts };
    const confirmed = this.#reported.transcriptionModel;
    const at = confirmed === undefined ? -1 : this.#named.indexOf(confirmed);
    this.#named = this.#named.slice(at + 1);
  }

  named(names: readonly string[]): void {
    for (const name of names) if (this.#named.at(-1) !== name) this.#named.push(name);
  }

  /** The provider sent something: its settings come first, or never. */
  spoken(): void {
    this.#hasSpoken = true;
  }

  /** A transcript came, whatever the settings are. */
  transcribed(): void {
    this.#transcribed = true;
  }

  /** The provider has not said what its settings are, and may still, or transcribes without saying so. */
  get isUnknown(): boolean {
    return this.#reported === undefined && (!this.#hasSpoken || this.#transcribed);
  }

  /** As the provider reports it; undefined where nothing is transcribed beside the model's own work. */
  get current(): string | undefined {
    return this.#reported?.transcriptionModel;
  }

  /** All that may be in effect now or as soon as the client's frames arrive. */
  get possible(): readonly string[] {
    return this.current === undefined ? this.#named : [this.current, ...this.#named];
  }
}
