/** What the store keeps about the organization: units, members, and the terms of people. Part of the store's contract. */

import type { PersonRecord } from '../../access/levels/load-levels.ts';
import type { LevelTerms, MembershipRecord, UnitRecord } from '../../access/organization.ts';
import type { Driver } from '../sql/driver.ts';
import {
  accountLevel,
  accountTerms,
  insertUnit,
  listUnits,
  membershipsOf,
  membersOf,
  putAccountTerms,
  putMembership,
  removeMembership,
  removeUnit,
  tokensOfUnit,
  type UnitOutcome,
  type UnitRemoval,
  type UnitRow,
  unitById,
  unitCounts,
  updateUnit,
} from './unit-queries.ts';
import { levelTermsJson, readLevelTerms } from './unit-terms.ts';

export type { UnitOutcome } from './unit-queries.ts';

export interface NewUnit extends UnitRecord {
  /** The name as it is compared: two units of one parent never share it. */
  readonly nameKey: string;
}

/** What is absent stays as it is. */
interface UnitChange {
  readonly name?: { readonly shown: string; readonly key: string } | undefined;
  readonly terms?: LevelTerms | undefined;
}

export interface OrganizationStore {
  insert(unit: NewUnit): Promise<UnitOutcome>;
  byId(id: string): Promise<UnitRecord | undefined>;
  /** Oldest first; the organization is the first of all. */
  list(limit: number): Promise<readonly UnitRecord[]>;
  update(id: string, change: UnitChange): Promise<UnitOutcome>;
  /** Its memberships end with it. */
  remove(id: string): Promise<UnitRemoval>;
  /** Adds a member or changes their role; false where the team or the account is gone. */
  putMember(member: MembershipRecord): Promise<boolean>;
  removeMember(teamId: string, accountId: string): Promise<boolean>;
  membershipsOf(accountId: string): Promise<readonly MembershipRecord[]>;
  membersOf(teamId: string, limit: number): Promise<readonly MembershipRecord[]>;
  /** What limits all tokens of a person together; absent where nothing does. */
  personTerms(accountId: string): Promise<LevelTerms | undefined>;
  /** Their name and terms, for what is above their tokens. */
  person(accountId: string): Promise<PersonRecord | undefined>;
  /** Undefined removes them. False where there is no such account. */
  setPersonTerms(accountId: string, terms: LevelTerms | undefined): Promise<boolean>;
  /** How many tokens of the unit itself were not revoked. */
  tokensOf(unitId: string): Promise<number>;
  /** The same of every unit itself, with its members; a unit without either may be missing. */
  counts(): Promise<ReadonlyMap<string, { readonly tokens: number; readonly members: number }>>;
}

export const unitRecord = ({ terms, parentId, ...row }: UnitRow): UnitRecord => ({
  ...row,
  ...(parentId !== '' && { parentId }),
  terms: readLevelTerms(terms),
});

export function organizationStore(driver: Driver): OrganizationStore {
  return {
    insert: ({ terms, parentId = '', ...unit }) =>
      driver.run(insertUnit, { ...unit, parentId, terms: levelTermsJson(terms) }),
    async byId(id) {
      const found = await driver.run(unitById, id);
      return found === null ? undefined : unitRecord(found);
    },
    list: async (limit) => (await driver.run(listUnits, limit)).map(unitRecord),
    update: (id, { name, terms }) =>
      driver.run(updateUnit, id, { name, terms: terms === undefined ? undefined : levelTermsJson(terms) }),
    remove: (id) => driver.run(removeUnit, id),
    putMember: (member) => driver.run(putMembership, member),
    removeMember: (teamId, accountId) => driver.run(removeMembership, teamId, accountId),
    membershipsOf: (accountId) => driver.run(membershipsOf, accountId),
    membersOf: (teamId, limit) => driver.run(membersOf, teamId, limit),
    async personTerms(accountId) {
      const found = await driver.run(accountTerms, accountId);
      return found === null ? undefined : readLevelTerms(found);
    },
    async person(accountId) {
      const found = await driver.run(accountLevel, accountId);
      if (found === null) return undefined;
      return { name: found.name, terms: found.terms === undefined ? undefined : readLevelTerms(found.terms) };
    },
    setPersonTerms: (accountId, terms) =>
      driver.run(putAccountTerms, accountId, terms === undefined ? null : levelTermsJson(terms)),
    tokensOf: (unitId) => driver.run(tokensOfUnit, unitId),
    counts: async () => new Map((await driver.run(unitCounts)).map(({ unitId, ...counts }) => [unitId, counts])),
  };
}
