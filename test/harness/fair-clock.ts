/**
 * Time as this process was given it: on a crowded machine nobody gets the processor when they should, and a bound in
 * seconds would judge the crowd. A tick that comes late counts as one that came in time, so that what starves this process,
 * and most likely the one under test with it, is left out.
 */

const tickMs = 10;
/** A timer on an idle machine is late by a millisecond or two. */
const tickMsMax = 15;

let fairMs = 0;
let lastTickAtMs = performance.now();
setInterval(() => {
  const nowMs = performance.now();
  fairMs += Math.min(nowMs - lastTickAtMs, tickMsMax);
  lastTickAtMs = nowMs;
}, tickMs).unref();

/** Milliseconds since some moment; only differences mean something. */
export function fairNowMs(): number {
  return fairMs + Math.min(performance.now() - lastTickAtMs, tickMsMax);
}

/** What this process has had of the processor: the measure of work that does not wait. */
export function cpuNowMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
