/** Token search: SQL narrows by what both engines compare alike, and each row is then matched exactly. */

import type { TokenScope, TokenSearch, TokenState } from '../../access/token-table.ts';
import { tokensOfUnitsSql, tokensSeenSql } from '../organization/seen-tokens.ts';
import type { PageRequest } from '../sql/pages.ts';
import { longRead } from '../sql/query.ts';
import { asTextOrNull, type SqlValue, type Steps, statementsBy, step } from '../sql/statement.ts';
import { scopeMarks, type TokenRow, tokens } from './token-queries.ts';

/** Of one statement; where few of its rows match, the next one continues after them. */
const batchRows = 500;

/** By what is given, one letter each, and by how many words. */
const batches = statementsBy((given: string) => {
  let place = 1;
  const next = (): string => `$${++place}`;
  const conditions = [
    ...(given.includes('r') ? ['t.revoked_at_ms IS NOT NULL'] : []),
    ...(given.includes('l') ? ['t.revoked_at_ms IS NULL'] : []),
    ...(given.includes('o') ? [`t.owner_id = ${next()}`] : []),
    ...(given.includes('v') ? [`t.id IN (${tokensSeenSql(next())})`] : []),
    ...(given.includes('u') ? [`t.id IN (${tokensOfUnitsSql([next()])})`] : []),
    ...(given.includes('a') ? [`(t.created_at_ms, t.id) < (${next()}, ${next()})`] : []),
    ...[...given.matchAll(/w/g)].map(() => holdsWord(`CAST(${next()} AS TEXT)`)),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `SELECT ${tokens.listOf('t')}, a.name
    FROM tokens t LEFT JOIN accounts a ON a.id = t.owner_id
    ${where} ORDER BY t.created_at_ms DESC, t.id DESC LIMIT $1`;
});

/** Terms are JSON that only Weir writes; a match behind its labels is sorted out afterwards. */
function holdsWord(pattern: string): string {
  const places = ['t.name', 't.id', 't.hint', 'a.name'].map((column) => `lower(${column}) LIKE ${pattern} ESCAPE '!'`);
  return `(${places.join(' OR ')} OR lower(t.terms) LIKE '%"labels":[' || ${pattern} ESCAPE '!')`;
}

/** What the engines or JSON may write differently matches anything here: too many rows are found rather than too few. */
const patternOf = (word: string): string => `%${word.replace(/[%_!]/g, '!$&').replace(/[^\x20-\x7e]+|["\\]/g, '%')}%`;

export const searchTokens = longRead(function* (
  search: TokenSearch,
  { limit, after }: PageRequest,
  scope: TokenScope,
): Steps<readonly TokenRow[]> {
  const { words, state } = search;
  const found: TokenRow[] = [];
  const { given, values } = scopeMarks(scope);
  let place: readonly SqlValue[] = after === undefined ? [] : [after.atMs, after.id];
  for (;;) {
    const living = state === undefined ? '' : state === 'revoked' ? 'r' : 'l';
    const key = `${living}${given}${place.length === 0 ? '' : 'a'}${'w'.repeat(words.length)}`;
    const rows = yield step(batches(key), batchRows, ...values, ...place, ...words.map(patternOf));
    for (const row of rows) {
      const token = tokens.read(row);
      place = [token.createdAtMs, token.id];
      if (!matches(token, asTextOrNull(row[tokens.width]), search)) continue;
      found.push(token);
      if (found.length === limit) return found;
    }
    if (rows.length < batchRows) return found;
  }
});

interface ReadTerms {
  readonly name: string;
  readonly labels?: readonly string[];
  readonly expiresAtMs?: number;
  readonly disabled?: boolean;
}

function matches(token: TokenRow, ownerName: string | null, { words, state, atMs }: TokenSearch): boolean {
  const terms = JSON.parse(token.terms) as ReadTerms;
  if (state !== undefined && state !== stateOf(token, terms, atMs)) return false;
  const known = [terms.name, token.hint, token.id, ownerName ?? '', ...(terms.labels ?? [])].join('\n').toLowerCase();
  return words.every((word) => known.includes(word));
}

function stateOf({ revokedAtMs }: TokenRow, { disabled, expiresAtMs }: ReadTerms, atMs: number): TokenState {
  if (revokedAtMs !== undefined) return 'revoked';
  if (expiresAtMs !== undefined && atMs >= expiresAtMs) return 'expired';
  return disabled === true ? 'disabled' : 'active';
}
