/** What the store keeps of a directory: its attributes of people, its groups and who is in them. Part of the store's contract. */

import type { Driver } from '../sql/driver.ts';
import {
  changeScimMembers,
  insertScimGroup,
  leaveScimGroups,
  putScimUser,
  removeScimGroup,
  type ScimGroupRow,
  type ScimUserRow,
  scimGroup,
  scimGroups,
  scimGroupsOf,
  scimMembers,
  scimUser,
  scimUsers,
  scimUsersByExternalId,
  updateScimGroup,
} from './scim-queries.ts';

export type { ScimGroupRow, ScimUserRow } from './scim-queries.ts';

export interface ScimStore {
  /** Also one that was removed. */
  user(accountId: string): Promise<ScimUserRow | undefined>;
  users(limit: number): Promise<readonly ScimUserRow[]>;
  byExternalId(externalId: string): Promise<readonly ScimUserRow[]>;
  putUser(row: ScimUserRow): Promise<void>;
  group(id: string): Promise<ScimGroupRow | undefined>;
  /** Oldest first. */
  groups(limit: number): Promise<readonly ScimGroupRow[]>;
  groupsOf(accountId: string): Promise<readonly ScimGroupRow[]>;
  /** False where another group has the name. */
  insertGroup(row: ScimGroupRow): Promise<boolean>;
  updateGroup(row: ScimGroupRow): Promise<'changed' | 'absent' | 'name-taken'>;
  /** Its members; undefined where there is no such group. */
  removeGroup(id: string): Promise<readonly string[] | undefined>;
  /** Ids of accounts. */
  members(groupId: string): Promise<readonly string[]>;
  changeMembers(groupId: string, change: { add: readonly string[]; remove: readonly string[] }): Promise<void>;
  leaveGroups(accountId: string): Promise<void>;
}

/** More than any group should have. */
const membersMax = 100_000;

export function scimStore(driver: Driver): ScimStore {
  return {
    user: async (accountId) => (await driver.run(scimUser, accountId)) ?? undefined,
    users: (limit) => driver.run(scimUsers, limit),
    byExternalId: (externalId) => driver.run(scimUsersByExternalId, externalId),
    async putUser(row) {
      await driver.run(putScimUser, row);
    },
    group: async (id) => (await driver.run(scimGroup, id)) ?? undefined,
    groups: (limit) => driver.run(scimGroups, limit),
    groupsOf: (accountId) => driver.run(scimGroupsOf, accountId),
    insertGroup: (row) => driver.run(insertScimGroup, row),
    updateGroup: (row) => driver.run(updateScimGroup, row),
    removeGroup: async (id) => (await driver.run(removeScimGroup, id, membersMax)) ?? undefined,
    members: (groupId) => driver.run(scimMembers, groupId, membersMax),
    async changeMembers(groupId, change) {
      await driver.run(changeScimMembers, groupId, change);
    },
    async leaveGroups(accountId) {
      await driver.run(leaveScimGroups, accountId);
    },
  };
}
