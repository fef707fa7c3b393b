/** Watches a body that is read whole: how much of it came, and whether it stopped growing. */

import type { UpstreamReply } from '../../upstream/transport.ts';

export class BodyWatch {
  #awaitedBytes: number | undefined;
  #grewAtMs = 0;

  /** What came until it was last looked at. */
  get bytes(): number {
    return this.#awaitedBytes ?? 0;
  }

  /** A stream has a timeout of its own. */
  isStuck(reply: UpstreamReply | undefined, nowMs: number, idleTimeoutMs: number): boolean {
    const awaited = reply?.awaitedBytes;
    // What came before it broke off counts, also when nothing is awaited anymore. One that waits for room is not stuck.
    if (awaited === undefined) {
      this.#grewAtMs = nowMs;
      return false;
    }
    if (awaited !== this.#awaitedBytes) {
      this.#awaitedBytes = awaited;
      this.#grewAtMs = nowMs;
    }
    return nowMs - this.#grewAtMs > idleTimeoutMs;
  }
}
