/** Reads a settled promise synchronously: awaiting it would cost a turn of the microtask queue. */

/** The value of a fulfilled promise; undefined while it is pending, and if it was rejected: awaiting it then throws. */
export function arrivedNow<Value>(promise: Promise<Value>): Value | undefined {
  return Bun.peek.status(promise) === 'fulfilled' ? (Bun.peek(promise) as Value) : undefined;
}
