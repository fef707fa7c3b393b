/** Tokens by what people remember of them: the engine narrows by what both engines compare alike, and each row is then read as people read it. */

import { asTextOrNull, type Operation, type Row, type SqlValue, statementsBy, step } from '../sql/statement.ts';
import { type TokenCells, tokenCells } from './token-queries.ts';

/** Words in small letters, all of which must be there; the state at that moment; the rest as in any list of tokens. */
export type TokenSearchCells = readonly [
  words: readonly string[],
  state: string | null,
  atMs: number,
  afterMs: number | null,
  afterId: string | null,
  ownerId: string | null,
];

/** Of one statement; where few of its rows fit, the next one goes on behind them. */
const batchRows = 500;

/** By what is given, one letter each, and by how many words. */
const batches = statementsBy((given: string) => {
  let place = 1;
  const next = (): string => `$${++place}`;
  const conditions = [
    ...(given.includes('r') ? ['t.revoked_at_ms IS NOT NULL'] : []),
    ...(given.includes('l') ? ['t.revoked_at_ms IS NULL'] : []),
    ...(given.includes('o') ? [`t.owner_id = ${next()}`] : []),
    ...(given.includes('a') ? [`(t.created_at_ms, t.id) < (${next()}, ${next()})`] : []),
    ...[...given.matchAll(/w/g)].map(() => holdsWord(`CAST(${next()} AS TEXT)`)),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `SELECT t.id, t.hint, t.terms, t.created_at_ms, t.revoked_at_ms, NULL, t.owner_id, a.name
    FROM tokens t LEFT JOIN accounts a ON a.id = t.owner_id
    ${where} ORDER BY t.created_at_ms DESC, t.id DESC LIMIT $1`;
});

/** Terms are JSON that only Weir writes; what stands behind the labels in it is told apart afterwards. */
function holdsWord(pattern: string): string {
  const places = ['t.name', 't.id', 't.hint', 'a.name'].map((column) => `lower(${column}) LIKE ${pattern} ESCAPE '!'`);
  return `(${places.join(' OR ')} OR lower(t.terms) LIKE '%"labels":[' || ${pattern} ESCAPE '!')`;
}

/** What the engines or JSON might write otherwise may be anything here: too many rows are found rather than too few. */
const patternOf = (word: string): string => `%${word.replace(/[%_!]/g, '!$&').replace(/[^\x20-\x7e]+|["\\]/g, '%')}%`;

export function* searchTokens(search: TokenSearchCells, limit: number): Operation<readonly TokenCells[]> {
  const [words, state, atMs, afterMs, afterId, ownerId] = search;
  const found: TokenCells[] = [];
  let after: readonly SqlValue[] = afterMs === null ? [] : [afterMs, afterId];
  for (;;) {
    const living = state === null ? '' : state === 'revoked' ? 'r' : 'l';
    const key = `${living}${ownerId === null ? '' : 'o'}${after.length === 0 ? '' : 'a'}${'w'.repeat(words.length)}`;
    const owner = ownerId === null ? [] : [ownerId];
    const rows = yield step(batches(key), batchRows, ...owner, ...after, ...words.map(patternOf));
    for (const row of rows) {
      const token = tokenCells(row);
      if (!fits(token, asTextOrNull(row[7]), words, state, atMs)) continue;
      found.push(token);
      if (found.length === limit) return found;
    }
    if (rows.length < batchRows) return found;
    after = placeOf(rows.at(-1));
  }
}

const placeOf = (row: Row | undefined): readonly SqlValue[] => [row?.[3] ?? null, row?.[0] ?? null];

interface ReadTerms {
  readonly name: string;
  readonly labels?: readonly string[];
  readonly expiresAtMs?: number;
}

function fits(
  [id, hint, text, , revokedAtMs]: TokenCells,
  ownerName: string | null,
  words: readonly string[],
  state: string | null,
  atMs: number,
): boolean {
  const terms = JSON.parse(text) as ReadTerms;
  const hasExpired = terms.expiresAtMs !== undefined && atMs >= terms.expiresAtMs;
  const isNow = revokedAtMs !== null ? 'revoked' : hasExpired ? 'expired' : 'active';
  if (state !== null && state !== isNow) return false;
  const known = [terms.name, hint, id, ownerName ?? '', ...(terms.labels ?? [])].join('\n').toLowerCase();
  return words.every((word) => known.includes(word));
}
