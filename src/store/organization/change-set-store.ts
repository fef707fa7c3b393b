/** The store's contract and methods for what is described as code: everything is read at once and changed at once. */

import type { AccountRecord } from '../../access/account.ts';
import type { TokenRecord, TokenTerms } from '../../access/caller.ts';
import type { LevelTerms, MembershipRecord, UnitRecord } from '../../access/organization.ts';
import type { Driver } from '../sql/driver.ts';
import { type NewToken, newRow, termsJson, tokenRecord } from '../tokens/token-store.ts';
import {
  type ChangeSetOutcome,
  type ChangeSetRows,
  listLivingTokens,
  readOrganization,
  writeChangeSet,
} from './change-set-queries.ts';
import { type NewUnit, unitRecord } from './organization-store.ts';
import { levelTermsJson, readLevelTerms } from './unit-terms.ts';

export interface PersonState extends AccountRecord {
  /** What limits all tokens of the person together. */
  readonly terms?: LevelTerms;
}

/** Not revoked. */
export interface LivingToken extends TokenRecord {
  /** It comes and goes with the sign-in of a program. */
  readonly isOfSignIn: boolean;
}

export interface OrganizationState {
  /** What a change must name, so that it is not based on what others changed since. */
  readonly revision: number;
  readonly units: readonly UnitRecord[];
  readonly members: readonly MembershipRecord[];
  readonly people: readonly PersonState[];
  readonly tokens: readonly LivingToken[];
}

type SameRows = Omit<ChangeSetRows, 'units' | 'accountTerms' | 'tokens' | 'tokenChanges'>;

export interface ChangeSet extends SameRows {
  readonly units: readonly NewUnit[];
  readonly accountTerms: readonly { readonly id: string; readonly terms: LevelTerms | undefined }[];
  readonly tokens: readonly NewToken[];
  readonly tokenChanges: readonly { readonly id: string; readonly terms: TokenTerms }[];
}

export interface ChangeSetStore {
  read(): Promise<OrganizationState>;
  /** All of it or nothing. */
  write(set: ChangeSet): Promise<ChangeSetOutcome>;
}

const tokensPerReading = 1_000;

export function changeSetStore(driver: Driver): ChangeSetStore {
  async function livingTokens(): Promise<readonly LivingToken[]> {
    const found: LivingToken[] = [];
    for (;;) {
      const page = await driver.run(listLivingTokens, found.at(-1)?.id ?? '', tokensPerReading);
      for (const { isOfSignIn, ...row } of page) found.push({ ...tokenRecord(row), isOfSignIn });
      if (page.length < tokensPerReading) return found;
    }
  }

  return {
    async read() {
      const { revision, units, members, people } = await driver.run(readOrganization);
      return {
        revision,
        units: units.map(unitRecord),
        members,
        people: people.map(({ terms, ...account }) => ({
          ...account,
          ...(terms !== undefined && { terms: readLevelTerms(terms) }),
        })),
        tokens: await livingTokens(),
      };
    },
    write: ({ units, accountTerms, tokens, tokenChanges, ...set }) =>
      driver.run(writeChangeSet, {
        ...set,
        units: units.map(({ terms, parentId = '', ...unit }) => ({ ...unit, parentId, terms: levelTermsJson(terms) })),
        accountTerms: accountTerms.map(({ id, terms }) => ({
          id,
          terms: terms === undefined ? null : levelTermsJson(terms),
        })),
        tokens: tokens.map(newRow),
        tokenChanges: tokenChanges.map(({ id, terms }) => ({ id, name: terms.name, terms: termsJson(terms) })),
      }),
  };
}
