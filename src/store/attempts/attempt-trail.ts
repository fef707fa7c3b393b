/** The trail of one request: every attempt that was made for it, whichever table tells of it. */

import { asNumber, asNumberOrNull, asText, type Operation, type Row, statement, step } from '../sql/statement.ts';

/** One attempt as it travels; its cost as digits. */
export type AttemptCells = readonly [
  id: string,
  tokenId: string,
  provider: string,
  model: string,
  keyId: string | null,
  verdict: string | null,
  atMs: number,
  settledAtMs: number | null,
  costNano: string | null,
  estimated: number,
];

/** So many attempts are asked for at a time; nearly every request has fewer. */
const pageSize = 32;

/**
 * By their ids, which are the request's with a number behind: an index for so rare a question would be paid for by every
 * attempt. The request is named beside them, because one of the two tables knows nothing else.
 */
const page = statement(
  `SELECT id, token_id, provider, model, key_id, verdict, at_ms, settled_at_ms, cost_nano, estimated FROM attempts
   WHERE request_id = $1 AND id IN (${Array.from({ length: pageSize }, (_, index) => `$${index + 2}`).join(', ')})`,
);

export function* attemptsOfRequest(requestId: string): Operation<readonly AttemptCells[]> {
  const found: AttemptCells[] = [];
  for (let first = 1; ; first += pageSize) {
    const ids = Array.from({ length: pageSize }, (_, index) => `${requestId}.${first + index}`);
    const cells = (yield step(page, requestId, ...ids)).map(cellsOf);
    if (cells.length === 0) return found;
    found.push(...cells.sort((a, b) => ids.indexOf(a[0]) - ids.indexOf(b[0])));
  }
}

function cellsOf(row: Row): AttemptCells {
  const [id, tokenId, provider, model, keyId, verdict, atMs, settledAtMs, cost, estimated] = row;
  return [
    asText(id),
    asText(tokenId),
    asText(provider),
    asText(model),
    textOrNull(keyId),
    textOrNull(verdict),
    asNumber(atMs),
    asNumberOrNull(settledAtMs),
    textOrNull(cost),
    asNumber(estimated),
  ];
}

const textOrNull = (cell: Row[number] | undefined): string | null =>
  cell === null || cell === undefined ? null : String(cell);
