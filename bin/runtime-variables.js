/** What the runtime reads from its environment when it starts. The launcher, the executable and the image set these. */

export const runtimeVariables = {
  /** The most that Bun accepts; its default of 256 outgoing requests would queue streams. */
  BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
  /**
   * Milliseconds until freed memory is returned to the system, and between two searches for free parts of memory that is
   * in use. Bun's defaults (100, and every time the process waits) return what the next requests need again: a tenth of
   * a request's CPU time, for 10 to 30 MB.
   */
  MIMALLOC_PURGE_DELAY: '1000',
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '5000',
  /**
   * So many times as often as usual a function must run before it is compiled while the process starts: what a start runs
   * in loops hardly runs later, and two compiler threads took a sixth of a start's CPU time for it.
   */
  BUN_JSC_startupJITDeferralScale: '3',
  /**
   * Bytes that are allocated before garbage is first collected. Bun's default, 8 MB, is reached while the process starts, which
   * then spent a twentieth of its time on it; a running gateway's heap is larger either way.
   */
  BUN_JSC_largeHeapSize: '33554432',
};
