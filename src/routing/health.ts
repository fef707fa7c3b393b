/** How a target or a key is doing: whether it should be left alone for a while. */

export class Health {
  #coolUntilMs = 0;

  coolUntil(atMs: number): void {
    this.#coolUntilMs = Math.max(this.#coolUntilMs, atMs);
  }

  isCooling(nowMs: number): boolean {
    return nowMs < this.#coolUntilMs;
  }

  get coolsUntilMs(): number {
    return this.#coolUntilMs;
  }
}
