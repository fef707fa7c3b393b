/** Asks whether Weir is there at all, by the one call that needs neither a session nor a database. */

const healthPath = '/healthz';
/** An answer that takes longer is none. */
const answerMsMax = 5_000;

export async function reachWeir(): Promise<boolean> {
  const request = { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(answerMsMax) } as const;
  const response = await fetch(healthPath, request).catch(() => undefined);
  return response?.ok === true;
}
