/**
 * Preloaded by the runner. `bun test` waits for events without blocking while nothing holds a reference on its event
 * loop, and then keeps a core busy for as long as a test awaits a worker thread. This timer is such a reference.
 */

setInterval(() => undefined, 3_600_000);
