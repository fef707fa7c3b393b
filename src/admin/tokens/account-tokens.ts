/** Tokens as an account sees them: all of them, or only their own. A token that one may not see does not exist. */

import type { AccountRecord } from '../../access/account.ts';
import type { TokenRecord, TokenTerms } from '../../access/caller.ts';
import { compileGlobs } from '../../access/glob.ts';
import { hintOf } from '../../access/token-format.ts';
import type { TokenPage, TokenSearch, TokenState, TokenTable } from '../../access/token-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import { endpointNames } from '../../snippets/endpoints.ts';
import type { Audit, AuditEntry } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import {
  type IssuedTokenView,
  type OwnedTokenView,
  type PageView,
  type PlaygroundTokenView,
  playgroundTokenLifetimeMs,
  rotateTokenSchema,
  type TokenCeilingView,
  type TokenSort,
} from '../contracts/account-contract.ts';
import type { LeastReservations } from './least-reservation.ts';
import { type SortValue, sortedTokens, type TokenOrder } from './sorted-tokens.ts';
import { beyond, ceilingView, memberBudget, requireWithinBudget, roomOf } from './token-ceiling.ts';
import { ownerIn, requireOwner } from './token-owner.ts';
import { spendView, type TokenSpends } from './token-spend.ts';
import { type BudgetState, checked, isoText, tokenView, withoutAbsent } from './token-terms.ts';
import { defaultTerms, type TokenAdmin } from './tokens.ts';

/** What a token of the playground may call. */
const playgroundEndpoints = endpointNames.filter((name) => name !== 'metrics');

interface AccountTokensOptions {
  readonly tokens: TokenTable;
  readonly admin: TokenAdmin;
  readonly defaults: TokenDefaults;
  readonly mint: () => string;
  readonly digests: Digests;
  readonly budgetState: (record: TokenRecord, atMs: number) => Promise<BudgetState | undefined>;
  readonly accountOf: (id: string) => Promise<AccountRecord | undefined>;
  readonly spends: TokenSpends;
  /** The part of each budget that is spent; a token that has spent nothing may be missing. */
  readonly budgetShares: (ownerId?: string) => Promise<ReadonlyMap<string, number>>;
  /** Absent: a remainder that is too small is not recognized. */
  readonly least?: LeastReservations | undefined;
  /** When the token's newest request came; absent: not shown. */
  readonly lastUsedAtMs?: (tokenId: string) => Promise<number | undefined>;
  readonly audit: Audit;
  readonly nowMs: () => number;
}

interface TokenQuery {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly ownerId?: string | undefined;
  /** A few letters of what is known of it. */
  readonly text?: string | undefined;
  readonly state?: TokenState | undefined;
  /** Absent: the newest first. */
  readonly order?: TokenOrder | undefined;
}

export interface AccountTokens {
  list(actor: Actor, query: TokenQuery): Promise<PageView<OwnedTokenView>>;
  create(actor: Actor, input: unknown): Promise<IssuedTokenView>;
  show(actor: Actor, id: string): Promise<OwnedTokenView>;
  change(actor: Actor, id: string, input: unknown): Promise<OwnedTokenView>;
  rotate(actor: Actor, id: string, input: unknown): Promise<IssuedTokenView>;
  revoke(actor: Actor, id: string): Promise<OwnedTokenView>;
  /** A short-lived token of the account itself; the previous one stays valid until its own expiry. */
  playground(actor: Actor): Promise<PlaygroundTokenView>;
  /** What limits the tokens of the actor; absent where nothing does. */
  ceilingOf(actor: Actor): TokenCeilingView | undefined;
  /** May the actor see the token? */
  maySee(actor: Actor, tokenId: string): Promise<boolean>;
}

/** One per account, so that its usage is found under one name however often its secret was replaced. */
export const playgroundTokenId = (accountId: string): string => `tok_playground_${accountId.replace(/^acc_/, '')}`;

const seesOnlyOwn = ({ account }: Actor): boolean => account.role === 'member';
/** An account that may change the settings is not bound by them. */
const isBound = seesOnlyOwn;

export function createAccountTokens(options: AccountTokensOptions): AccountTokens {
  const { tokens, admin, audit, nowMs } = options;

  async function visible(actor: Actor, id: string): Promise<TokenRecord> {
    const record = await tokens.byId(id);
    if (record === undefined || (seesOnlyOwn(actor) && record.ownerId !== actor.account.id)) {
      throw new GatewayError('not_found', 'Token not found.', { param: 'id' });
    }
    return record;
  }

  /**
   * Rotating shows the new secret, with which an admin could act in an owner's name; so admins may not
   * rotate owners' tokens.
   */
  async function requireSecretOf({ account }: Actor, { ownerId }: TokenRecord): Promise<void> {
    if (ownerId === undefined || ownerId === account.id || account.role === 'owner') return;
    if ((await options.accountOf(ownerId))?.role !== 'owner') return;
    throw new GatewayError('role_not_allowed', 'Only an owner can rotate an owner’s token or give it away.');
  }

  const views = createTokenViews(options);
  const viewOf = async (record: TokenRecord): Promise<OwnedTokenView> => (await views([record]))[0] ?? noView();

  /** Throws where the actor may not give the token to this account, or to none. */
  async function requireNewOwner(actor: Actor, record: TokenRecord, ownerId: string | null) {
    const owner = await requireOwner(actor, ownerId, options.accountOf);
    await requireSecretOf(actor, record);
    if (record.ownerId !== undefined && record.id === playgroundTokenId(record.ownerId)) {
      throw beyond('ownerId', 'the token of a playground stays with its account');
    }
    return { id: owner?.id, name: owner?.name ?? '' };
  }

  const written = (actor: Actor, action: AuditEntry['action'], id: string, detail: AuditEntry['detail'] = {}) =>
    audit.write(actor, { action, subject: `token:${id}`, detail });

  return {
    async list(actor, { limit, after, ownerId, order, ...wanted }) {
      const owner = seesOnlyOwn(actor) ? actor.account.id : ownerId;
      const search = searchOf(wanted, nowMs());
      const place = {
        limit: limit + 1,
        ...(after !== undefined && after !== '' && { afterId: (await visible(actor, after)).id }),
      };
      const narrowing = { ...(owner !== undefined && { ownerId: owner }), ...(search !== undefined && { search }) };
      const sorting = { list: (page: TokenPage) => tokens.list(page), valuesOf: sortValues(options, owner) };
      const records = await (order === undefined
        ? tokens.list({ ...place, ...narrowing })
        : sortedTokens(sorting, narrowing, order, place));
      const items = await views(records.slice(0, limit));
      const last = items.at(-1);
      return records.length > limit && last !== undefined ? { items, next: last.id } : { items };
    },
    async create(actor, input) {
      const check = (terms: TokenTerms): void => {
        if (isBound(actor)) requireWithinDefaults(terms, options.defaults, nowMs());
      };
      const { ownerId: chosen, rest } = ownerIn(input);
      const owner = await requireOwner(actor, chosen === undefined ? actor.account.id : chosen, options.accountOf);
      const ownerId = owner?.id;
      const bounds = isBound(actor) && {
        budget: memberBudget(options.defaults),
        room: roomOf(options.defaults, playgroundTokenId(actor.account.id), nowMs()),
      };
      const owned = ownerId === undefined ? {} : { ownerId };
      const { record, secret } = await admin.create(rest, { ...owned, check, ...bounds });
      const given = ownerId === actor.account.id ? {} : { owner: owner?.name ?? '' };
      await written(actor, 'token-create', record.id, { name: record.terms.name, ...given });
      return { token: secret, ...(await viewOf(record)) };
    },
    async show(actor, id) {
      return viewOf(await visible(actor, id));
    },
    async change(actor, id, input) {
      const record = await visible(actor, id);
      const fields = typeof input === 'object' && input !== null ? Object.keys(input) : [];
      const other = fields.find((field) => field !== 'name');
      if (seesOnlyOwn(actor) && other !== undefined) {
        throw beyond(
          other,
          'only an administrator can change limits and access of a token; ask one, or create a new token',
        );
      }
      const { ownerId, rest } = ownerIn(input);
      const owner = ownerId === undefined ? undefined : await requireNewOwner(actor, record, ownerId);
      if (ownerId === undefined || fields.length > 1) await admin.updateTerms(id, rest);
      if (owner !== undefined) await tokens.changeOwner(id, owner.id);
      await written(actor, 'token-change', id, { fields, ...(owner && { owner: owner.name }) });
      return viewOf(await visible(actor, id));
    },
    async rotate(actor, id, input) {
      await requireSecretOf(actor, await visible(actor, id));
      const { overlapMs = 0 } = checked(rotateTokenSchema, input);
      const { record, secret } = await admin.rotate(id, { overlapMs });
      await written(actor, 'token-rotate', id, { overlapMs });
      return { token: secret, ...(await viewOf(record)) };
    },
    async revoke(actor, id) {
      await visible(actor, id);
      await admin.revoke(id);
      await written(actor, 'token-revoke', id);
      return viewOf(await visible(actor, id));
    },
    async playground(actor) {
      const { account } = actor;
      const atMs = nowMs();
      const expiresAtMs = atMs + playgroundTokenLifetimeMs;
      const id = playgroundTokenId(account.id);
      const before = await tokens.byId(id);
      const secret = options.mint();
      const terms: TokenTerms = {
        ...defaultTerms(options.defaults, `Playground of ${account.name}`, atMs),
        ...withoutAbsent<Pick<TokenTerms, 'budget'>>({
          budget: isBound(actor) ? memberBudget(options.defaults) : undefined,
        }),
        expiresAtMs,
        endpoints: playgroundEndpoints,
      };
      const record = { id, hint: hintOf(secret), createdAtMs: atMs, ownerId: account.id, terms };
      await tokens.renew(record, options.digests.of(secret), before?.terms.expiresAtMs ?? atMs);
      await written(actor, 'playground-token', id);
      return { id, token: secret, expiresAt: new Date(expiresAtMs).toISOString() };
    },
    ceilingOf: (actor) => (isBound(actor) ? ceilingView(options.defaults) : undefined),
    async maySee(actor, tokenId) {
      if (!seesOnlyOwn(actor)) return true;
      return (await tokens.byId(tokenId))?.ownerId === actor.account.id;
    },
  };
}

function noView(): never {
  throw new GatewayError('not_found', 'Token not found.', { param: 'id' });
}

/** Views of many tokens, with what they spent from one query. */
function createTokenViews(options: AccountTokensOptions) {
  const { nowMs, accountOf, budgetState, lastUsedAtMs, least, spends } = options;
  return async (records: readonly TokenRecord[]): Promise<readonly OwnedTokenView[]> => {
    const spent = await spends(records.map(({ id }) => id));
    return Promise.all(
      records.map(async (record) => {
        const [state, owner, usedAtMs] = await Promise.all([
          budgetState(record, nowMs()),
          record.ownerId === undefined ? undefined : accountOf(record.ownerId),
          lastUsedAtMs?.(record.id),
        ]);
        const budget = state && { ...state, least: least?.(record.terms.models) };
        return withoutAbsent<OwnedTokenView>({
          ...tokenView(record, nowMs(), budget),
          ownerName: owner?.name,
          lastUsedAt: isoText(usedAtMs),
          spend: spendView(spent.get(record.id)),
        });
      }),
    );
  };
}

/** What each token is sorted by. */
function sortValues({ accountOf, budgetShares, spends }: AccountTokensOptions, ownerId: string | undefined) {
  const own: Readonly<Partial<Record<TokenSort, (record: TokenRecord) => SortValue>>> = {
    name: ({ terms }) => terms.name,
    expires: ({ terms }) => terms.expiresAtMs,
  };
  return async (by: TokenSort, records: readonly TokenRecord[]): Promise<ReadonlyMap<string, SortValue>> => {
    const ownValue = own[by];
    if (ownValue !== undefined) return new Map(records.map((record) => [record.id, ownValue(record)]));
    if (by === 'budget') {
      const shares = await budgetShares(ownerId);
      return new Map(records.map(({ id, terms }) => [id, terms.budget && (shares.get(id) ?? 0)]));
    }
    if (by === 'owner') {
      const ids = [...new Set(records.flatMap((record) => record.ownerId ?? []))];
      const names = new Map(await Promise.all(ids.map(async (id) => [id, (await accountOf(id))?.name] as const)));
      return new Map(records.map((record) => [record.id, names.get(record.ownerId ?? '')]));
    }
    const spent = await spends(records.map(({ id }) => id));
    return new Map(records.map(({ id }) => [id, spent.get(id)?.[by === 'month' ? 'monthNano' : 'totalNano']]));
  };
}

/** Each is a condition of its own for the database. */
const searchWordsMax = 8;

function searchOf({ text = '', state }: Pick<TokenQuery, 'text' | 'state'>, atMs: number): TokenSearch | undefined {
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length > searchWordsMax) {
    throw new GatewayError('field_invalid', `q: must have at most ${searchWordsMax} words`, { param: 'q' });
  }
  return words.length === 0 && state === undefined ? undefined : { words, state, atMs };
}

/** What the operator's defaults give is also the most that a member may take. */
export function requireWithinDefaults(terms: TokenTerms, defaults: TokenDefaults, nowMs: number): void {
  for (const right of ['maySteer', 'mayExplain'] as const) {
    if (terms[right] === true) throw beyond(right, 'only an administrator can grant this');
  }
  if (terms.labels !== undefined) throw beyond('labels', 'only an administrator can set labels');
  for (const limit of ['rpm', 'tpm', 'concurrency'] as const) {
    const most = defaults[limit];
    if (most !== undefined && (terms[limit] ?? Number.POSITIVE_INFINITY) > most) {
      throw beyond(limit, `must be at most ${most}`);
    }
  }
  requireWithinBudget(terms, defaults);
  const { expiresInDays, models } = defaults;
  const latestMs = expiresInDays === undefined ? undefined : nowMs + expiresInDays * 24 * 60 * 60 * 1_000;
  if (latestMs !== undefined && (terms.expiresAtMs ?? Number.POSITIVE_INFINITY) > latestMs) {
    throw beyond('expiresAt', `must be at most ${expiresInDays} days from now`);
  }
  if (models === undefined) return;
  const isServed = compileGlobs(models);
  const isWithin = (entry: string): boolean => models.includes(entry) || (!entry.includes('*') && isServed(entry));
  if (terms.models === undefined || !terms.models.every(isWithin)) {
    throw beyond('models', `can only include ${models.join(', ')}`);
  }
}
