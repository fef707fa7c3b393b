/** Tokens as an account sees them: all, or their own and those of their teams. A token that one may not see does not exist. */

import type { TokenRecord, TokenTerms } from '../../access/caller.ts';
import { hintOf } from '../../access/token-format.ts';
import type { TokenPage, TokenSearch, TokenState, TokenTable } from '../../access/token-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Digests } from '../../secrets/digests.ts';
import type { TokenDefaults } from '../../settings/config.ts';
import { endpointNames } from '../../snippets/endpoints.ts';
import type { Audit, AuditEntry } from '../accounts/audit.ts';
import { type Actor, narrowedTo } from '../accounts/sessions.ts';
import {
  type IssuedTokenView,
  type OwnedTokenView,
  type PageView,
  type PlaygroundTokenView,
  playgroundTokenLifetimeMs,
  rotateTokenSchema,
  type TokenCeilingView,
} from '../contracts/account-contract.ts';
import type { Place } from '../organization/team-access.ts';
import { requireUnruled } from './ruled-token.ts';
import { sortedTokens, type TokenOrder } from './sorted-tokens.ts';
import { beyond, ceilingView, memberBudget, roomOf } from './token-ceiling.ts';
import { ownerIn } from './token-owner.ts';
import { type TokenPower, unitIn } from './token-powers.ts';
import { checked, withoutAbsent } from './token-terms.ts';
import { createTokenViews, sortValues, type TokenViewOptions } from './token-views.ts';
import { defaultTerms, type TokenAdmin } from './tokens.ts';

/** What a token of the playground may call. */
const playgroundEndpoints = endpointNames.filter((name) => name !== 'metrics');

interface AccountTokensOptions extends TokenViewOptions {
  readonly tokens: TokenTable;
  readonly admin: TokenAdmin;
  readonly defaults: TokenDefaults;
  readonly mint: () => string;
  readonly digests: Digests;
  readonly audit: Audit;
}

interface TokenQuery {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly ownerId?: string | undefined;
  /** A team or project. */
  readonly unitId?: string | undefined;
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

/** An account that may change the settings is not bound by them. */
const isBound = (actor: Actor): boolean => narrowedTo(actor) !== undefined;

export function createAccountTokens(options: AccountTokensOptions): AccountTokens {
  const { tokens, admin, audit, powers, nowMs } = options;

  async function visible(actor: Actor, id: string): Promise<TokenRecord> {
    const record = await tokens.byId(id);
    if (record === undefined || (await powers.over(actor, record)) === 'none') noToken();
    return record;
  }

  /** The token, where the actor may change anything of it at all. */
  async function changeable(actor: Actor, id: string): Promise<{ record: TokenRecord; power: TokenPower }> {
    const record = await visible(actor, id);
    const power = await powers.over(actor, record);
    if (power !== 'read' && power !== 'none') return { record, power };
    throw new GatewayError('role_not_allowed', 'Your role in the team of this token only allows you to see it.');
  }

  /**
   * Rotating shows the new secret, with which an admin could act in an owner's name; so admins may not
   * rotate owners' tokens, and admins of a team not those of either.
   */
  async function requireSecretOf({ account, key }: Actor, { ownerId }: TokenRecord): Promise<void> {
    if (ownerId === undefined || account.role === 'owner') return;
    if (ownerId === account.id && key?.team === undefined) return;
    const role = (await options.accountOf(ownerId))?.role;
    if (account.role === 'member' && role === 'admin') {
      throw new GatewayError('role_not_allowed', 'Only an owner or admin can rotate an admin’s token or give it away.');
    }
    if (role !== 'owner') return;
    throw new GatewayError('role_not_allowed', 'Only an owner can rotate an owner’s token or give it away.');
  }

  const views = createTokenViews(options);
  const viewOf = async (actor: Actor, record: TokenRecord): Promise<OwnedTokenView> =>
    (await views(actor, [record]))[0] ?? noToken();

  /** Throws where the actor may not give the token to this account, or to none. */
  async function requireNewOwner(actor: Actor, record: TokenRecord, ownerId: string | null, place?: Place) {
    const owner = await powers.requireOwnerIn(actor, ownerId, place);
    await requireSecretOf(actor, record);
    if (record.ownerId !== undefined && record.id === playgroundTokenId(record.ownerId)) {
      throw beyond('ownerId', 'the token of a playground stays with its account');
    }
    return { id: owner?.id, name: owner?.name ?? '' };
  }

  const written = (actor: Actor, action: AuditEntry['action'], id: string, detail: AuditEntry['detail'] = {}) =>
    audit.write(actor, { action, subject: `token:${id}`, detail });

  return {
    async list(actor, { limit, after, ownerId, unitId, order, ...wanted }) {
      const seenBy = narrowedTo(actor);
      const search = searchOf(wanted, nowMs());
      const place = {
        limit: limit + 1,
        ...(after !== undefined && after !== '' && { afterId: (await visible(actor, after)).id }),
      };
      const narrowing = { ownerId, unitId, seenBy, ...(search !== undefined && { search }) };
      const sorting = { list: (page: TokenPage) => tokens.list(page), valuesOf: sortValues(options, seenBy) };
      const records = await (order === undefined
        ? tokens.list({ ...place, ...narrowing })
        : sortedTokens(sorting, narrowing, order, place));
      const items = await views(actor, records.slice(0, limit));
      const last = items.at(-1);
      return records.length > limit && last !== undefined ? { items, next: last.id } : { items };
    },
    async create(actor, input) {
      const { ownerId: chosen, rest: unowned } = ownerIn(input);
      const { unitId, rest } = unitIn(unowned);
      const place = await powers.requirePlace(actor, unitId ?? null, 'create');
      // A token that a key of a team creates belongs to the team, unless it names a member.
      const usual = actor.key?.team === undefined ? actor.account.id : null;
      const owner = await powers.requireOwnerIn(actor, chosen === undefined ? usual : chosen, place);
      const ownerId = owner?.id;
      const check = (terms: TokenTerms): Promise<void> => powers.requireGrant(actor, { place, ownerId }, terms);
      const bounds = isBound(actor) && {
        budget: memberBudget(options.defaults),
        // A token of the team itself is bounded by the team's own limits.
        ...(ownerId !== undefined && { room: roomOf(options.defaults, playgroundTokenId(ownerId), nowMs()) }),
      };
      const owned = { ...(ownerId !== undefined && { ownerId }), ...(unitId && { unitId }) };
      const { record, secret } = await admin.create(rest, { ...owned, check, ...bounds });
      const given = ownerId === actor.account.id ? {} : { owner: owner?.name ?? '' };
      const where = place === undefined ? {} : { team: place.team.name };
      await written(actor, 'token-create', record.id, { name: record.terms.name, ...given, ...where });
      return { token: secret, ...(await viewOf(actor, record)) };
    },
    async show(actor, id) {
      return viewOf(actor, await visible(actor, id));
    },
    async change(actor, id, input) {
      const { record, power } = await changeable(actor, id);
      const fields = typeof input === 'object' && input !== null ? Object.keys(input) : [];
      requireUnruled(id, fields);
      const other = fields.find((field) => field !== 'name');
      if (power === 'own' && other !== undefined && !(other === 'unitId' && fields.length === 1)) {
        throw beyond(
          other,
          'only an administrator can change limits and access of a token; ask one, or create a new token',
        );
      }
      const { ownerId, rest: unowned } = ownerIn(input);
      const { unitId, rest } = unitIn(unowned);
      const before = await powers.placeOf(record.unitId);
      const place = unitId === undefined ? before : await powers.requirePlace(actor, unitId, 'move');
      const isOfNewTeam = place?.team.id !== before?.team.id;
      const owner = ownerId === undefined ? undefined : await requireNewOwner(actor, record, ownerId, place);
      const home = { place, ownerId: owner === undefined ? record.ownerId : owner.id };
      // What the token keeps is given to another owner or team as well.
      if (isOfNewTeam || owner !== undefined) await powers.requireGrant(actor, home, record.terms);
      const isOnlyMoved = fields.length > 0 && fields.every((field) => field === 'ownerId' || field === 'unitId');
      if (!isOnlyMoved) {
        await admin.updateTerms(id, rest, (after) => powers.requireGrant(actor, home, after, record.terms));
      }
      if (owner !== undefined) await tokens.changeOwner(id, owner.id);
      if (unitId !== undefined) await tokens.changeUnit(id, unitId ?? undefined);
      const detail = { ...(owner && { owner: owner.name }), ...(isOfNewTeam && { team: place?.team.name ?? '' }) };
      await written(actor, 'token-change', id, { fields, ...detail });
      return viewOf(actor, await visible(actor, id));
    },
    async rotate(actor, id, input) {
      await requireSecretOf(actor, (await changeable(actor, id)).record);
      const { overlapMs = 0 } = checked(rotateTokenSchema, input);
      const { record, secret } = await admin.rotate(id, { overlapMs });
      await written(actor, 'token-rotate', id, { overlapMs });
      return { token: secret, ...(await viewOf(actor, record)) };
    },
    async revoke(actor, id) {
      await changeable(actor, id);
      await admin.revoke(id);
      await written(actor, 'token-revoke', id);
      return viewOf(actor, await visible(actor, id));
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
      if (narrowedTo(actor) === undefined) return true;
      const record = await tokens.byId(tokenId);
      return record !== undefined && (await powers.over(actor, record)) !== 'none';
    },
  };
}

function noToken(): never {
  throw new GatewayError('not_found', 'Token not found.', { param: 'id' });
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
