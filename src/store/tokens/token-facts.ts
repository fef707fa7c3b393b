/** What usage is grouped by of a token: its name, its labels, its owner, its team and its project. */

import { longRead } from '../sql/query.ts';
import { asText, asTextOrNull, type Row, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { placesFrom } from '../sql/table.ts';

export interface TokenFacts {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly ownerId: string | null;
  /** Null where there is no owner, or its account is gone. */
  readonly ownerName: string | null;
  /** Null where it belongs to none. A team or project that was removed is none. */
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
}

export const factsPerReading = 256;

const byIds = statement(
  `SELECT t.id, t.name, t.terms, t.owner_id, a.name, u.kind, u.id, u.name, p.id, p.name
   FROM tokens t LEFT JOIN accounts a ON a.id = t.owner_id
   LEFT JOIN units u ON u.id = t.unit_id LEFT JOIN units p ON p.id = u.parent_id
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
    ...unitFacts(row),
  }));
});

/** A token of a project belongs to the project's team too. */
function unitFacts(row: Row): Pick<TokenFacts, 'teamId' | 'teamName' | 'projectId' | 'projectName'> {
  const [kind, id, name, parentId, parentName] = row.slice(5).map((cell) => asTextOrNull(cell));
  return kind === 'project'
    ? { teamId: parentId ?? null, teamName: parentName ?? null, projectId: id ?? null, projectName: name ?? null }
    : { teamId: id ?? null, teamName: name ?? null, projectId: null, projectName: null };
}

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
