/** The tables `scim_users`, `scim_groups` and `scim_members`. */

import { read, single, transaction } from '../sql/query.ts';
import { asText, type Steps, statement, step } from '../sql/statement.ts';
import { freeText, name, optional, type RowIn, table, text, time } from '../sql/table.ts';

const users = table('scim_users', {
  accountId: text,
  externalId: optional(name),
  /** JSON. */
  attributes: freeText,
  createdAtMs: time,
  changedAtMs: time,
  /** Since when the directory has it inactive: only what it disabled itself may it enable again. */
  deactivatedAtMs: optional(time),
  removedAtMs: optional(time),
});
export type ScimUserRow = RowIn<typeof users>;

const groups = table('scim_groups', {
  id: text,
  displayName: name,
  nameKey: name,
  externalId: optional(name),
  createdAtMs: time,
  changedAtMs: time,
});
export type ScimGroupRow = RowIn<typeof groups>;

const userById = statement(`SELECT ${users.list} FROM scim_users WHERE account_id = $1`);
const usersAll = statement(`SELECT ${users.list} FROM scim_users ORDER BY account_id LIMIT $1`);
const usersByExternal = statement(
  `SELECT ${users.list} FROM scim_users WHERE external_id = $1 AND removed_at_ms IS NULL ORDER BY account_id LIMIT 100`,
);
const putUser = statement(
  `${users.insert} ON CONFLICT (account_id) DO UPDATE SET external_id = excluded.external_id,
     attributes = excluded.attributes, changed_at_ms = excluded.changed_at_ms,
     deactivated_at_ms = excluded.deactivated_at_ms, removed_at_ms = excluded.removed_at_ms`,
);

export const scimUser = read(function* (accountId: string): Steps<ScimUserRow | null> {
  const row = (yield step(userById, accountId))[0];
  return row === undefined ? null : users.read(row);
});

export const scimUsers = read(function* (limit: number): Steps<readonly ScimUserRow[]> {
  return (yield step(usersAll, limit)).map((row) => users.read(row));
});

export const scimUsersByExternalId = read(function* (externalId: string): Steps<readonly ScimUserRow[]> {
  return (yield step(usersByExternal, externalId)).map((row) => users.read(row));
});

export const putScimUser = single(function* (row: ScimUserRow): Steps<null> {
  yield step(putUser, ...users.values(row));
  return null;
});

const groupById = statement(`SELECT ${groups.list} FROM scim_groups WHERE id = $1`);
const groupsAll = statement(`SELECT ${groups.list} FROM scim_groups ORDER BY created_at_ms, id LIMIT $1`);
const groupsOfUser = statement(
  `SELECT ${groups.list} FROM scim_groups
   WHERE id IN (SELECT group_id FROM scim_members WHERE account_id = $1) ORDER BY created_at_ms, id LIMIT 10000`,
);
const insertGroup = statement(`${groups.insert} ON CONFLICT (name_key) DO NOTHING RETURNING id`);
const nameTaken = statement('SELECT id FROM scim_groups WHERE name_key = $1 AND id <> $2');
const changeGroup = statement(
  `UPDATE scim_groups SET display_name = $2, name_key = $3, external_id = $4, changed_at_ms = $5
   WHERE id = $1 RETURNING id`,
);
const removeGroup = statement('DELETE FROM scim_groups WHERE id = $1 RETURNING id');
const membersOf = statement('SELECT account_id FROM scim_members WHERE group_id = $1 ORDER BY account_id LIMIT $2');
const addMember = statement(
  `INSERT INTO scim_members (group_id, account_id) SELECT $1, id FROM accounts WHERE id = $2
   ON CONFLICT (group_id, account_id) DO NOTHING`,
);
const dropMember = statement('DELETE FROM scim_members WHERE group_id = $1 AND account_id = $2');
const dropMembers = statement('DELETE FROM scim_members WHERE group_id = $1');
const dropUser = statement('DELETE FROM scim_members WHERE account_id = $1');

export const scimGroup = read(function* (id: string): Steps<ScimGroupRow | null> {
  const row = (yield step(groupById, id))[0];
  return row === undefined ? null : groups.read(row);
});

/** Oldest first. */
export const scimGroups = read(function* (limit: number): Steps<readonly ScimGroupRow[]> {
  return (yield step(groupsAll, limit)).map((row) => groups.read(row));
});

export const scimGroupsOf = read(function* (accountId: string): Steps<readonly ScimGroupRow[]> {
  return (yield step(groupsOfUser, accountId)).map((row) => groups.read(row));
});

export const scimMembers = read(function* (groupId: string, limit: number): Steps<readonly string[]> {
  return (yield step(membersOf, groupId, limit)).map((row) => asText(row[0]));
});

/** False where another group has the name. */
export const insertScimGroup = single(function* (row: ScimGroupRow): Steps<boolean> {
  return (yield step(insertGroup, ...groups.values(row))).length > 0;
});

export const updateScimGroup = transaction(function* (row: ScimGroupRow): Steps<'changed' | 'absent' | 'name-taken'> {
  const { id, displayName, nameKey, externalId, changedAtMs } = row;
  if ((yield step(nameTaken, nameKey, id)).length > 0) return 'name-taken';
  const changed = yield step(changeGroup, id, displayName, nameKey, externalId ?? null, changedAtMs);
  return changed.length === 0 ? 'absent' : 'changed';
});

/** Its members, or null where there is no such group. */
export const removeScimGroup = transaction(function* (id: string, limit: number): Steps<readonly string[] | null> {
  const members = (yield step(membersOf, id, limit)).map((row) => asText(row[0]));
  yield step(dropMembers, id);
  return (yield step(removeGroup, id)).length === 0 ? null : members;
});

export const changeScimMembers = transaction(function* (
  groupId: string,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): Steps<null> {
  for (const accountId of remove) yield step(dropMember, groupId, accountId);
  for (const accountId of add) yield step(addMember, groupId, accountId);
  return null;
});

export const leaveScimGroups = single(function* (accountId: string): Steps<null> {
  yield step(dropUser, accountId);
  return null;
});
