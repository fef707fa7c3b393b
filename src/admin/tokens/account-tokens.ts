/** Tokens as an account sees them: all of them, or only their own. A token that one may not see does not exist. */

import type { Role } from '../../access/account.ts';
import type { TokenRecord, TokenTerms } from '../../access/caller.ts';
import { compileGlobs } from '../../access/glob.ts';
import { hintOf } from '../../access/token-format.ts';
import type { TokenSearch, TokenState, TokenTable } from '../../access/token-table.ts';
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
} from '../contracts/account-contract.ts';
import { beyond, ceilingView, memberBudget, requireWithinBudget, roomOf } from './token-ceiling.ts';
import { type BudgetState, checked, tokenView, withoutAbsent } from './token-terms.ts';
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
  readonly accountName: (id: string) => Promise<string | undefined>;
  readonly accountRole: (id: string) => Promise<Role | undefined>;
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
    if ((await options.accountRole(ownerId)) !== 'owner') return;
    throw new GatewayError('role_not_allowed', 'Only an owner can rotate an owner’s token.');
  }

  async function viewOf(record: TokenRecord): Promise<OwnedTokenView> {
    const [state, ownerName, usedAtMs] = await Promise.all([
      options.budgetState(record, nowMs()),
      record.ownerId === undefined ? undefined : options.accountName(record.ownerId),
      options.lastUsedAtMs?.(record.id),
    ]);
    const lastUsedAt = usedAtMs === undefined ? undefined : new Date(usedAtMs).toISOString();
    return withoutAbsent<OwnedTokenView>({ ...tokenView(record, nowMs(), state), ownerName, lastUsedAt });
  }

  const written = (actor: Actor, action: AuditEntry['action'], id: string, detail: AuditEntry['detail'] = {}) =>
    audit.write(actor, { action, subject: `token:${id}`, detail });

  return {
    async list(actor, { limit, after, ownerId, ...wanted }) {
      const owner = seesOnlyOwn(actor) ? actor.account.id : ownerId;
      const search = searchOf(wanted, nowMs());
      const page = {
        limit: limit + 1,
        ...(after !== undefined && after !== '' && { afterId: (await visible(actor, after)).id }),
        ...(owner !== undefined && { ownerId: owner }),
        ...(search !== undefined && { search }),
      };
      const records = await tokens.list(page);
      const items = await Promise.all(records.slice(0, limit).map(viewOf));
      const last = items.at(-1);
      return records.length > limit && last !== undefined ? { items, next: last.id } : { items };
    },
    async create(actor, input) {
      const check = (terms: TokenTerms): void => {
        if (isBound(actor)) requireWithinDefaults(terms, options.defaults, nowMs());
      };
      const ownerId = actor.account.id;
      const bounds = isBound(actor) && {
        budget: memberBudget(options.defaults),
        room: roomOf(options.defaults, playgroundTokenId(ownerId), nowMs()),
      };
      const { record, secret } = await admin.create(input, { ownerId, check, ...bounds });
      await written(actor, 'token-create', record.id, { name: record.terms.name });
      return { token: secret, ...(await viewOf(record)) };
    },
    async show(actor, id) {
      return viewOf(await visible(actor, id));
    },
    async change(actor, id, input) {
      await visible(actor, id);
      const fields = typeof input === 'object' && input !== null ? Object.keys(input) : [];
      const other = fields.find((field) => field !== 'name');
      if (seesOnlyOwn(actor) && other !== undefined) {
        throw beyond(
          other,
          'only an administrator can change limits and access of a token; ask one, or create a new token',
        );
      }
      await admin.updateTerms(id, input);
      await written(actor, 'token-change', id, { fields });
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
