/** What usage is grouped by of a token: its name, its labels and its owner. */

import { longRead } from '../sql/query.ts';
import { asText, asTextOrNull, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { placesFrom } from '../sql/table.ts';

export interface TokenFacts {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly ownerId: string | null;
  /** Null where there is no owner, or its account is gone. */
  readonly ownerName: string | null;
}

export const factsPerReading = 256;

const byIds = statement(
  `SELECT t.id, t.name, t.terms, t.owner_id, a.name FROM tokens t LEFT JOIN accounts a ON a.id = t.owner_id
   WHERE t.id IN (${placesFrom(1, factsPerReading)})`,
);

/** At most `factsPerReading`; ids that are unknown are left out. */
export const tokenFacts = longRead(function* (ids: readonly string[]): Steps<readonly TokenFacts[]> {
  const last = ids.at(-1) ?? '';
  const padding = Array.from({ length: factsPerReading - ids.length }, () => last);
  return (yield step(byIds, ...ids, ...padding)).map((row) => ({
    id: asText(row[0]),
    name: asText(row[1]),
    labels: labelsIn(asText(row[2])),
    ownerId: asTextOrNull(row[3]),
    ownerName: asTextOrNull(row[4]),
  }));
});

const labelsIn = (terms: string): readonly string[] =>
  (JSON.parse(terms) as { readonly labels?: readonly string[] }).labels ?? [];

/** Terms are JSON that only Weir writes. */
const withLabels = statementsBy(
  (place: 'first' | 'next') =>
    `SELECT id, terms FROM tokens WHERE terms LIKE '%"labels":[%'${place === 'next' ? ' AND id > $2' : ''} ORDER BY id LIMIT $1`,
);
const batchRows = 1_000;

/** Tokens that have one of these labels; at most `limit`. */
export const tokensLabelled = longRead(function* (labels: readonly string[], limit: number): Steps<readonly string[]> {
  const found: string[] = [];
  for (let last: string | undefined; found.length < limit; ) {
    const rows = yield last === undefined
      ? step(withLabels('first'), batchRows)
      : step(withLabels('next'), batchRows, last);
    for (const row of rows) {
      last = asText(row[0]);
      if (labelsIn(asText(row[1])).some((label) => labels.includes(label))) found.push(last);
    }
    if (rows.length < batchRows) break;
  }
  return found.slice(0, limit);
});
