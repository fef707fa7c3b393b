/** Looks into a promise: waiting for what is there already would cost a turn of the event loop's queue. */

/** The value where it has arrived; undefined where it is still to come, and where it failed and waiting will say why. */
export function arrivedNow<Value>(promise: Promise<Value>): Value | undefined {
  return Bun.peek.status(promise) === 'fulfilled' ? (Bun.peek(promise) as Value) : undefined;
}
