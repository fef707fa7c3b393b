/** The clock of a scratch instance, as the script that moves it sees it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export class MovableClock {
  /** For the instance: `moved-clock.ts` reads it. */
  readonly file: string;
  readonly #offsetMs: Float64Array;

  constructor(folder: string, startMs: number) {
    this.file = join(folder, 'clock');
    writeFileSync(this.file, new Float64Array(1));
    this.#offsetMs = new Float64Array(Bun.mmap(this.file).buffer);
    this.#offsetMs[0] = Math.min(0, startMs - Date.now());
  }

  nowMs(): number {
    return Date.now() + (this.#offsetMs[0] ?? 0);
  }

  /** Forward only, and never into the future. */
  moveTo(atMs: number): void {
    if (atMs > this.nowMs()) this.#offsetMs[0] = Math.min(0, atMs - Date.now());
  }

  moveToRealTime(): void {
    this.#offsetMs[0] = 0;
  }
}
