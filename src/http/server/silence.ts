/** How long a client was silent, in ticks, which are seconds. */

/** A new connection must bring a head, and a begun head its end, within so many. */
export const headTicksMax = 10;
/** After the last reply, a client that still sends is read: otherwise the reply could be lost. Until it pauses, and in all. */
export const lingerTicksMax = 10;
const lingerTotalTicksMax = 60;

export class Silence {
  #ticks = 0;
  #lingerTicks = 0;

  /** The client sent or read something, or is waited for only from now on. */
  end(): void {
    this.#ticks = 0;
  }

  /** True if it lasts for too long. */
  tick(ticksMax: number, lingers: boolean): boolean {
    // Otherwise a stream of minutes would leave its client no time at all to catch up when it is behind.
    if (ticksMax === Number.POSITIVE_INFINITY) this.#ticks = 0;
    else this.#ticks += 1;
    if (lingers) this.#lingerTicks += 1;
    return this.#ticks > ticksMax || this.#lingerTicks > lingerTotalTicksMax;
  }
}
