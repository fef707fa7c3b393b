/** End users as the lowest level of a request: made at the first request that names them, kept in memory, bounded. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { createBoundedCache } from '../bounded-cache.ts';
import type { Caller, EndUserRule, Level, LevelLimits } from '../caller.ts';
import type { LevelTerms } from '../organization.ts';
import { levelFacts, levelLimits } from './levels.ts';

/** An end user of a unit or a token. */
export interface EndUserKey {
  /** The unit or token whose end user it is. */
  readonly scopeId: string;
  /** Of the id that requests name: ids may be of any length. */
  readonly digest: string;
}

/** A request names an end user. */
export interface EndUserSight extends EndUserKey {
  /** As requests name them. */
  readonly name: string;
  /** The token of the request. */
  readonly tokenId: string;
  /** How many end users this token may have. */
  readonly max: number;
  readonly atMs: number;
}

/** What is set for one end user. */
export interface EndUserStanding {
  /** Replaces the default of the same field. */
  readonly terms: LevelTerms | undefined;
  readonly isBlocked: boolean;
}

/** The table of end users; rejects where the database does not answer. */
export interface EndUserTable {
  /** Makes the end user where it is new. Undefined where the token has too many already. */
  meet(sight: EndUserSight): Promise<EndUserStanding | undefined>;
  /** It was seen again. */
  seen(key: EndUserKey, atMs: number): Promise<void>;
}

/** A caller whose lowest level is an end user. */
interface UserCaller extends Caller {
  /** The end user's own rate limit, which was not counted before the request was read. */
  readonly userLimits: readonly LevelLimits[];
}

export interface EndUsers {
  /**
   * The caller with the end user as a further level; a promise only where the end user is not in memory. Called for callers
   * with terms of end users only.
   */
  callerFor(caller: Caller, rule: EndUserRule, endUser: string): UserCaller | Promise<UserCaller>;
}

interface EndUsersOptions {
  readonly table: EndUserTable;
  /** The time of day. */
  readonly wallMs: () => number;
  readonly cacheMax?: number;
}

interface Known {
  /** A change of any token or level makes a new one, so that end users are read again too. */
  readonly base: Caller;
  readonly caller: UserCaller | undefined;
  readonly key: EndUserKey;
  seenAtMs: number;
}

/** End users whom one token may have, where its terms do not say. */
const endUsersPerTokenMax = 10_000;
/** When an end user was last seen is written this often. */
const seenEveryMs = 3_600_000;
/** A name is shown to people; longer ones are cut. */
const nameLengthMax = 128;

export function createEndUsers({ table, wallMs, cacheMax = 20_000 }: EndUsersOptions): EndUsers {
  const known = createBoundedCache<Known>(cacheMax);
  const loading = new Map<string, { readonly base: Caller; readonly found: Promise<UserCaller> }>();

  async function load(name: string, base: Caller, rule: EndUserRule, endUser: string): Promise<UserCaller> {
    const atMs = wallMs();
    const key = { scopeId: rule.scopeId, digest: digestOf(endUser) };
    const max = rule.terms.max ?? endUsersPerTokenMax;
    const shown = endUser.slice(0, nameLengthMax);
    const standing = await table
      .meet({ ...key, name: shown, tokenId: base.tokenId, max, atMs })
      .catch((cause: unknown) => {
        throw new GatewayError('store_unavailable', 'The end user could not be read: the database is not responding.', {
          cause,
        });
      });
    if (standing === undefined) throw tooMany(max);
    const caller = standing.isBlocked ? undefined : userCaller(base, rule, key, shown, standing);
    known.set(name, { base, caller, key, seenAtMs: atMs });
    return admitted(caller, shown);
  }

  function remember(found: Known): void {
    const atMs = wallMs();
    if (atMs - found.seenAtMs < seenEveryMs) return;
    found.seenAtMs = atMs;
    // Not awaited; the next hour writes it again.
    table.seen(found.key, atMs).catch(() => undefined);
  }

  return {
    callerFor(base, rule, endUser) {
      const name = `${base.tokenId}\n${endUser}`;
      const found = known.get(name);
      if (found !== undefined && found.base === base) {
        remember(found);
        return admitted(found.caller, endUser.slice(0, nameLengthMax));
      }
      const running = loading.get(name);
      if (running !== undefined && running.base === base) return running.found;
      const started = load(name, base, rule, endUser).finally(() => {
        if (loading.get(name)?.found === started) loading.delete(name);
      });
      loading.set(name, { base, found: started });
      return started;
    },
  };
}

function userCaller(
  base: Caller,
  { terms: { budgets, rpm } }: EndUserRule,
  { scopeId, digest }: EndUserKey,
  name: string,
  { terms }: EndUserStanding,
): UserCaller {
  // The level that limits end users says which tools their budgets are for.
  const tools = base.levels.find(({ id }) => id === scopeId)?.terms.tools;
  const defaults: LevelTerms = {
    ...(budgets && { budgets }),
    ...(rpm !== undefined && { rpm }),
    ...(tools && { tools }),
  };
  const level: Level = { kind: 'user', id: `${scopeId}/${digest}`, name, terms: { ...defaults, ...terms } };
  const limits = levelLimits(level);
  return { ...base, ...levelFacts([...base.levels, level]), userLimits: limits === undefined ? [] : [limits] };
}

/** 128 bits: a second id with the same digest cannot be found. */
export function digestOf(endUser: string): string {
  return new Bun.CryptoHasher('sha256').update(endUser).digest('hex').slice(0, 32);
}

function admitted(caller: UserCaller | undefined, name: string): UserCaller {
  if (caller !== undefined) return caller;
  throw new GatewayError('end_user_blocked', `The end user "${name}" is blocked. Ask an administrator to unblock it.`);
}

function tooMany(max: number): GatewayError {
  return new GatewayError(
    'end_users_exceeded',
    `This token already has ${max} end users, and this request names another one. Ask an administrator to raise \`max\` of its end users, or to remove some.`,
  );
}
