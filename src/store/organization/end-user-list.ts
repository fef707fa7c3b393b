/** Lists of end users: SQL narrows by what both engines compare alike, and each row is then matched exactly. */

import { longRead } from '../sql/query.ts';
import { type SqlValue, type Steps, statement, statementsBy, step } from '../sql/statement.ts';
import { type EndUserPlace, type EndUserRow, endUsers } from './end-user-queries.ts';
import { tokensOfUnitsSql, tokensSeenSql, unitsSeenSql } from './seen-tokens.ts';

/** Every part that is given must hold. */
export interface EndUserSearch {
  /** Of this unit or token itself. */
  readonly scopeId?: string | undefined;
  /** Of this token, or named by it first. */
  readonly tokenId?: string | undefined;
  /** Of this team and its projects or of this project, or named first by a token of it. */
  readonly unitId?: string | undefined;
  /** Whom this account may see: named first by a token that it sees, or of a team whose admin or viewer it is. */
  readonly seenBy?: string | undefined;
  readonly blocked?: boolean | undefined;
  /** In lower case; each must occur in the name or the note. */
  readonly words?: readonly string[] | undefined;
}

/** Of one statement; where few of its rows match, the next one continues after them. */
const batchRows = 500;

const belowUnit = (place: string): string =>
  `scope_id IN (SELECT id FROM units WHERE id = ${place} OR parent_id = ${place}) OR token_id IN (${tokensOfUnitsSql([place])})`;

/** By what is given, one letter each, and by how many words. */
const batches = statementsBy((given: string) => {
  let place = 4;
  const next = (): string => `$${++place}`;
  const once = (condition: (place: string) => string): string => `(${condition(next())})`;
  const conditions = [
    '(last_seen_at_ms, scope_id, digest) < ($2, $3, $4)',
    ...(given.includes('b') ? ['blocked = 1'] : []),
    ...(given.includes('f') ? ['blocked = 0'] : []),
    ...(given.includes('s') ? [once((id) => `scope_id = ${id}`)] : []),
    ...(given.includes('t') ? [once((id) => `token_id = ${id} OR scope_id = ${id}`)] : []),
    ...(given.includes('u') ? [once(belowUnit)] : []),
    ...(given.includes('v')
      ? [once((id) => `token_id IN (${tokensSeenSql(id)}) OR scope_id IN (${unitsSeenSql(id)})`)]
      : []),
    ...[...given.matchAll(/w/g)].map(() => holdsWord(`CAST(${next()} AS TEXT)`)),
  ];
  return `SELECT ${endUsers.list} FROM end_users WHERE ${conditions.join(' AND ')}
    ORDER BY last_seen_at_ms DESC, scope_id DESC, digest DESC LIMIT $1`;
});

const holdsWord = (pattern: string): string =>
  `(lower(name) LIKE ${pattern} ESCAPE '!' OR lower(note) LIKE ${pattern} ESCAPE '!')`;

/** What the engines may write differently matches anything here: too many rows are found rather than too few. */
const patternOf = (word: string): string => `%${word.replace(/[%_!]/g, '!$&').replace(/[^\x20-\x7e]+/g, '%')}%`;

/** Seen last first, after this place. */
export const listEndUsers = longRead(function* (
  search: EndUserSearch,
  after: EndUserPlace,
  limit: number,
): Steps<readonly EndUserRow[]> {
  const { scopeId, tokenId, unitId, seenBy, blocked, words = [] } = search;
  const named = Object.entries({ s: scopeId, t: tokenId, u: unitId, v: seenBy });
  const present = named.flatMap(([mark, value]) => (value === undefined ? [] : [{ mark, value }]));
  const state = blocked === undefined ? '' : blocked ? 'b' : 'f';
  const key = `${state}${present.map(({ mark }) => mark).join('')}${'w'.repeat(words.length)}`;
  const values = [...present.map(({ value }) => value), ...words.map(patternOf)];
  const found: EndUserRow[] = [];
  let place: readonly SqlValue[] = [after.lastSeenAtMs, after.scopeId, after.digest];
  for (;;) {
    const rows = yield step(batches(key), batchRows, ...place, ...values);
    for (const row of rows) {
      const user = endUsers.read(row);
      place = [user.lastSeenAtMs, user.scopeId, user.digest];
      const known = `${user.name}\n${user.note}`.toLowerCase();
      if (!words.every((word) => known.includes(word))) continue;
      found.push(user);
      if (found.length === limit) return found;
    }
    if (rows.length < batchRows) return found;
  }
});

const seen = statement(
  `SELECT ${endUsers.list} FROM end_users WHERE scope_id = $1 AND digest = $2
    AND (token_id IN (${tokensSeenSql('$3')}) OR scope_id IN (${unitsSeenSql('$3')}))`,
);

/** Null where there is none, or the account may not see them. */
export const endUserSeenBy = longRead(function* (
  scopeId: string,
  digest: string,
  accountId: string,
): Steps<EndUserRow | null> {
  const row = (yield step(seen, scopeId, digest, accountId))[0];
  return row === undefined ? null : endUsers.read(row);
});
