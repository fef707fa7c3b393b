/** What the store keeps about end users. Part of the store's contract. */

import type { EndUserKey, EndUserTable } from '../../access/levels/end-users.ts';
import type { LevelTerms } from '../../access/organization.ts';
import type { Driver } from '../sql/driver.ts';
import { type EndUserSearch, endUserSeenBy, listEndUsers } from './end-user-list.ts';
import {
  changeEndUser,
  type EndUserPlace,
  type EndUserRow,
  endUserByKey,
  meetEndUser,
  removeEndUser,
  seeEndUser,
} from './end-user-queries.ts';
import { levelTermsJson, readLevelTerms } from './unit-terms.ts';

export interface EndUserRecord extends EndUserKey {
  /** As requests name them. */
  readonly name: string;
  /** The token that named them first. */
  readonly tokenId: string;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  /** They replace the defaults; absent where nothing was set. */
  readonly terms: LevelTerms | undefined;
  readonly isBlocked: boolean;
  /** What an administrator wrote about them. */
  readonly note: string;
}

interface EndUserPage extends EndUserSearch {
  readonly after?: EndUserPlace | undefined;
  readonly limit: number;
}

export interface EndUserStore extends EndUserTable {
  byKey(key: EndUserKey): Promise<EndUserRecord | undefined>;
  /** The same, where this account may see them. */
  seenBy(key: EndUserKey, accountId: string): Promise<EndUserRecord | undefined>;
  /** Seen last first. */
  list(page: EndUserPage): Promise<readonly EndUserRecord[]>;
  /** What is absent stays as it is; terms of null are removed. False where there is no such end user. */
  change(
    key: EndUserKey,
    change: { readonly terms?: LevelTerms | null; readonly isBlocked?: boolean; readonly note?: string },
  ): Promise<boolean>;
  /** What was spent stays. */
  remove(key: EndUserKey): Promise<boolean>;
}

/** After every place that a row can have. */
const listBegin: EndUserPlace = { lastSeenAtMs: Number.MAX_SAFE_INTEGER, scopeId: '', digest: '' };

const recordOf = ({ blocked, terms, ...row }: EndUserRow): EndUserRecord => ({
  ...row,
  terms: terms === undefined ? undefined : readLevelTerms(terms),
  isBlocked: blocked !== 0,
});

export function endUserStore(driver: Driver): EndUserStore {
  return {
    async meet(sight) {
      const found = await driver.run(meetEndUser, sight);
      return found === null ? undefined : recordOf(found);
    },
    async seen(key, atMs) {
      await driver.run(seeEndUser, key, atMs);
    },
    async byKey(key) {
      const found = await driver.run(endUserByKey, key);
      return found === null ? undefined : recordOf(found);
    },
    async seenBy({ scopeId, digest }, accountId) {
      const found = await driver.run(endUserSeenBy, scopeId, digest, accountId);
      return found === null ? undefined : recordOf(found);
    },
    list: async ({ after = listBegin, limit, ...search }) =>
      (await driver.run(listEndUsers, search, after, limit)).map(recordOf),
    change: ({ scopeId, digest }, { terms, isBlocked, note }) =>
      driver.run(
        changeEndUser,
        { scopeId, digest },
        {
          blocked: isBlocked,
          note,
          terms: terms === undefined || terms === null ? terms : levelTermsJson(terms),
        },
      ),
    remove: ({ scopeId, digest }) => driver.run(removeEndUser, { scopeId, digest }),
  };
}
