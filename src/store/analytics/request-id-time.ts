/** A request's id begins with the time it was created at, so that a few of its letters already narrow the search. */

const prefix = 'req_';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Eight letters of six bits are the 48 bits of a time in milliseconds. */
const timeLetters = 8;
/** Between the id and its row's time lies a moment, and where a clock was set, more. */
const marginMs = 3_600_000;

/** When a request arrived, from its whole id. Nothing where it holds no time. */
export function timeOfRequestId(id: string): number | undefined {
  const times = id.length < prefix.length + timeLetters ? undefined : timesOfRequestId(id);
  return times && times.fromMs + marginMs;
}

/** Nothing where the prefix holds no time. */
export function timesOfRequestId(beginning: string): { readonly fromMs: number; readonly toMs: number } | undefined {
  if (!beginning.startsWith(prefix) || beginning.length === prefix.length) return undefined;
  const encoded = beginning.slice(prefix.length, prefix.length + timeLetters);
  let timeMs = 0;
  for (const letter of encoded) {
    const value = letters.indexOf(letter);
    if (value === -1) return undefined;
    timeMs = timeMs * 64 + value;
  }
  const unknown = 64 ** (timeLetters - encoded.length);
  return { fromMs: timeMs * unknown - marginMs, toMs: (timeMs + 1) * unknown + marginMs };
}
