/** The tables `units` and `memberships`. Every change bumps the revision by which servers drop what they cached of tokens. */

import type { MembershipRecord, TeamRole, UnitKind } from '../../access/organization.ts';
import { read, transaction } from '../sql/query.ts';
import { asNumber, asText, asTextOrNull, type Steps, statement, step } from '../sql/statement.ts';
import { name, optional, type RowIn, table, text, textOf, time } from '../sql/table.ts';
import { bumpRevision } from '../tokens/token-queries.ts';

export const units = table('units', {
  id: text,
  kind: textOf<UnitKind>(),
  /** Empty for the organization. */
  parentId: text,
  name,
  /** JSON. */
  terms: text,
  createdAtMs: time,
});
export type UnitRow = RowIn<typeof units>;

export const newUnits = table('units', { ...units.columns, nameKey: name });
export interface NewUnitRow extends UnitRow {
  readonly nameKey: string;
}

export const memberships = table('memberships', {
  teamId: text,
  accountId: text,
  role: textOf<TeamRole>(),
  source: text,
  createdAtMs: time,
});

/** `parent-absent`: what it would belong to is gone. */
export type UnitOutcome = 'changed' | 'absent' | 'name-taken' | 'parent-absent';
/** `in-use`: it has projects or tokens that were not revoked. */
export type UnitRemoval = 'removed' | 'absent' | 'in-use';

const insert = statement(newUnits.insert);
const byId = statement(`SELECT ${units.list} FROM units WHERE id = $1`);
const all = statement(`SELECT ${units.list} FROM units ORDER BY created_at_ms, id LIMIT $1`);
const nameTaken = statement('SELECT id FROM units WHERE parent_id = $1 AND name_key = $2 AND id <> $3');
const rename = statement('UPDATE units SET name = $2, name_key = $3 WHERE id = $1');
const setTerms = statement('UPDATE units SET terms = $2 WHERE id = $1');
const childOf = statement('SELECT id FROM units WHERE parent_id = $1 LIMIT 1');
const activeTokenOf = statement('SELECT id FROM tokens WHERE unit_id = $1 AND revoked_at_ms IS NULL LIMIT 1');
const remove = statement('DELETE FROM units WHERE id = $1');
const removeMembers = statement('DELETE FROM memberships WHERE team_id = $1');

export const insertUnit = transaction(function* (unit: NewUnitRow): Steps<UnitOutcome> {
  // The revision's row is taken first: two who use one name at the same moment wait for one another.
  yield* bumpRevision();
  const { parentId } = unit;
  if ((yield step(byId, parentId)).length === 0) return 'parent-absent';
  if ((yield step(nameTaken, parentId, newUnits.columns.nameKey.bind(unit.nameKey), unit.id)).length > 0)
    return 'name-taken';
  yield step(insert, ...newUnits.values(unit));
  return 'changed';
});

export const unitById = read(function* (id: string): Steps<UnitRow | null> {
  const row = (yield step(byId, id))[0];
  return row === undefined ? null : units.read(row);
});

export const listUnits = read(function* (limit: number): Steps<readonly UnitRow[]> {
  return (yield step(all, limit)).map((row) => units.read(row));
});

export const updateUnit = transaction(function* (
  id: string,
  change: {
    readonly name?: { readonly shown: string; readonly key: string } | undefined;
    readonly terms?: string | undefined;
  },
): Steps<UnitOutcome> {
  yield* bumpRevision();
  const row = (yield step(byId, id))[0];
  if (row === undefined) return 'absent';
  const { parentId } = units.read(row);
  if (change.name !== undefined) {
    const shown = name.bind(change.name.shown);
    const key = name.bind(change.name.key);
    if ((yield step(nameTaken, parentId, key, id)).length > 0) return 'name-taken';
    yield step(rename, id, shown, key);
  }
  if (change.terms !== undefined) yield step(setTerms, id, change.terms);
  return 'changed';
});

export const removeUnit = transaction(function* (id: string): Steps<UnitRemoval> {
  yield* bumpRevision();
  if ((yield step(byId, id)).length === 0) return 'absent';
  if ((yield step(childOf, id)).length > 0 || (yield step(activeTokenOf, id)).length > 0) return 'in-use';
  yield step(removeMembers, id);
  yield step(remove, id);
  return 'removed';
});

const putMember = statement(memberships.upsert('teamId', 'accountId'));
const dropMember = statement('DELETE FROM memberships WHERE team_id = $1 AND account_id = $2 RETURNING team_id');
const ofAccount = statement(`SELECT ${memberships.list} FROM memberships WHERE account_id = $1 ORDER BY team_id`);
const ofTeam = statement(
  `SELECT ${memberships.list} FROM memberships WHERE team_id = $1 ORDER BY created_at_ms, account_id LIMIT $2`,
);
const accountThere = statement('SELECT id FROM accounts WHERE id = $1');

/** False where the team or the account is gone. */
export const putMembership = transaction(function* (member: MembershipRecord): Steps<boolean> {
  yield* bumpRevision();
  const team = (yield step(byId, member.teamId))[0];
  if (team === undefined || units.read(team).kind !== 'team') return false;
  if ((yield step(accountThere, member.accountId)).length === 0) return false;
  yield step(putMember, ...memberships.values(member));
  return true;
});

export const removeMembership = transaction(function* (teamId: string, accountId: string): Steps<boolean> {
  yield* bumpRevision();
  return (yield step(dropMember, teamId, accountId)).length > 0;
});

export const membershipsOf = read(function* (accountId: string): Steps<readonly MembershipRecord[]> {
  return (yield step(ofAccount, accountId)).map((row) => memberships.read(row));
});

export const membersOf = read(function* (teamId: string, limit: number): Steps<readonly MembershipRecord[]> {
  return (yield step(ofTeam, teamId, limit)).map((row) => memberships.read(row));
});

const termsOf = statement('SELECT terms FROM accounts WHERE id = $1');
const people = table('accounts', { name, terms: optional(text) });
const personById = statement(`SELECT ${people.list} FROM accounts WHERE id = $1`);
const setAccountTerms = statement('UPDATE accounts SET terms = $2 WHERE id = $1 RETURNING id');

export const accountTerms = read(function* (accountId: string): Steps<string | null> {
  return asTextOrNull((yield step(termsOf, accountId))[0]?.[0] ?? null);
});

/** A person as a level above their tokens. */
export const accountLevel = read(function* (accountId: string): Steps<RowIn<typeof people> | null> {
  const row = (yield step(personById, accountId))[0];
  return row === undefined ? null : people.read(row);
});

export const putAccountTerms = transaction(function* (accountId: string, terms: string | null): Steps<boolean> {
  yield* bumpRevision();
  return (yield step(setAccountTerms, accountId, terms)).length > 0;
});

/** How many tokens of a unit were not revoked, and how many members it has. */
interface UnitCount {
  readonly unitId: string;
  readonly tokens: number;
  readonly members: number;
}

const countAll = statement(
  `SELECT unit_id, COUNT(*), 0 FROM tokens WHERE unit_id IS NOT NULL AND revoked_at_ms IS NULL GROUP BY unit_id
   UNION ALL SELECT team_id, 0, COUNT(*) FROM memberships GROUP BY team_id`,
);

export const unitCounts = read(function* (): Steps<readonly UnitCount[]> {
  const counts = new Map<string, UnitCount>();
  for (const row of yield step(countAll)) {
    const unitId = asText(row[0]);
    const { tokens = 0, members = 0 } = counts.get(unitId) ?? {};
    counts.set(unitId, { unitId, tokens: tokens + asNumber(row[1]), members: members + asNumber(row[2]) });
  }
  return [...counts.values()];
});

const countTokens = statement('SELECT COUNT(*) FROM tokens WHERE unit_id = $1 AND revoked_at_ms IS NULL');

export const tokensOfUnit = read(function* (unitId: string): Steps<number> {
  return asNumber((yield step(countTokens, unitId))[0]?.[0]);
});
