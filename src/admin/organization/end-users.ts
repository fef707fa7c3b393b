/**
 * End users as an account sees them: all, those whom its own tokens named first, and those of teams whose admin or viewer
 * it is. One that they may not see does not exist.
 */

import type { TokenRecord } from '../../access/caller.ts';
import type { EndUserKey } from '../../access/levels/end-users.ts';
import type { LevelTerms } from '../../access/organization.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { AnalyticsStore } from '../../store/analytics/analytics-store.ts';
import type { EndUserRecord, EndUserStore } from '../../store/organization/end-user-store.ts';
import type { OrganizationStore } from '../../store/organization/organization-store.ts';
import type { Audit } from '../accounts/audit.ts';
import { type Actor, narrowedTo } from '../accounts/sessions.ts';
import type { PageView } from '../contracts/account-contract.ts';
import { type EndUserAccess, type EndUserView, endUserChangesSchema } from '../contracts/end-user-contract.ts';
import { cursorOf, cursorText } from '../page.ts';
import { beyond } from '../tokens/token-ceiling.ts';
import type { TokenPowers } from '../tokens/token-powers.ts';
import { spendView } from '../tokens/token-spend.ts';
import { checked } from '../tokens/token-terms.ts';
import { type BudgetReader, budgetViews } from './budget-terms.ts';
import { createEndUserSpends } from './end-user-spend.ts';
import { changedOwnTerms, effectiveTerms, ownFields, termsToKeep } from './end-user-terms.ts';

interface EndUsersOptions {
  readonly endUsers: EndUserStore;
  readonly organization: Pick<OrganizationStore, 'byId'>;
  readonly tokens: { byId(id: string): Promise<TokenRecord | undefined> };
  readonly powers: TokenPowers;
  readonly budgets: BudgetReader;
  readonly analytics: Pick<AnalyticsStore, 'groups'>;
  /** Names of the route table. */
  readonly endpoints: readonly string[];
  readonly audit: Audit;
  readonly nowMs: () => number;
}

interface EndUserQuery {
  readonly limit: number;
  readonly after?: string | undefined;
  /** A few letters of the name or the note. */
  readonly text?: string | undefined;
  readonly tokenId?: string | undefined;
  /** A team or project. */
  readonly unitId?: string | undefined;
  readonly blocked?: boolean | undefined;
}

export interface EndUserAdmin {
  /** Seen last first. */
  list(actor: Actor, query: EndUserQuery): Promise<PageView<EndUserView>>;
  show(actor: Actor, id: string): Promise<EndUserView>;
  change(actor: Actor, id: string, input: unknown): Promise<EndUserView>;
  /** Removes name, note, limits and block. Usage and what was spent of their budgets stay. */
  forget(actor: Actor, id: string): Promise<void>;
}

/** The level whose end users these are, as far as the reader may know it. */
interface Scope {
  readonly kind: EndUserView['scope']['kind'];
  readonly name: string | undefined;
  readonly terms: LevelTerms['endUsers'];
  readonly access: EndUserAccess;
}

const idOf = ({ scopeId, digest }: EndUserKey): string => `${scopeId}.${digest}`;

export function createEndUserAdmin(options: EndUsersOptions): EndUserAdmin {
  const { endUsers, organization, tokens, powers, audit, nowMs } = options;
  const changes = endUserChangesSchema(options);
  const spends = createEndUserSpends(options.analytics, nowMs);

  async function visible(actor: Actor, id: string): Promise<EndUserRecord> {
    const key = keyOf(id);
    const seenBy = narrowedTo(actor);
    const found = key && (await (seenBy === undefined ? endUsers.byKey(key) : endUsers.seenBy(key, seenBy)));
    if (found === undefined) throw new GatewayError('not_found', 'End user not found.', { param: 'id' });
    return found;
  }

  async function scopeOf(actor: Actor, scopeId: string): Promise<Scope> {
    const unit = await organization.byId(scopeId);
    if (unit === undefined) {
      const token = await tokens.byId(scopeId);
      const power = token === undefined ? 'none' : await powers.over(actor, token);
      const access = power === 'all' || power === 'team' ? 'full' : power === 'own' ? 'block' : 'read';
      const name = power === 'none' ? undefined : token?.terms.name;
      return { kind: 'token', name, terms: token?.terms.endUsers, access };
    }
    const { kind, name, terms } = unit;
    const [standing, place] = await Promise.all([powers.standingOf(actor), powers.placeOf(scopeId)]);
    const isSeen = kind === 'organization' || (place !== undefined && standing.sees(place.team.id));
    const manages = place === undefined ? standing.managesAll : standing.manages(place.team.id);
    return { kind, name: isSeen ? name : undefined, terms: terms.endUsers, access: manages ? 'full' : 'read' };
  }

  async function tokenOf(actor: Actor, id: string): Promise<EndUserView['token']> {
    const token = await tokens.byId(id);
    if (token === undefined || (await powers.over(actor, token)) === 'none') return undefined;
    return { id, name: token.terms.name };
  }

  async function views(actor: Actor, records: readonly EndUserRecord[]): Promise<readonly EndUserView[]> {
    const each = async <Value>(ids: readonly string[], find: (id: string) => Promise<Value>) =>
      new Map(await Promise.all([...new Set(ids)].map(async (id) => [id, await find(id)] as const)));
    const scopeIds = records.map(({ scopeId }) => scopeId);
    const [scopes, namers] = await Promise.all([
      each(scopeIds, (id) => scopeOf(actor, id)),
      each(
        records.map(({ tokenId }) => tokenId),
        (id) => tokenOf(actor, id),
      ),
    ]);
    const spent = await spends(records, (scopeId) => scopes.get(scopeId)?.kind ?? 'token');
    return Promise.all(
      records.map(async (record): Promise<EndUserView> => {
        const { scopeId, digest, name, isBlocked, note } = record;
        const { kind = 'token', name: scopeName, terms: defaults, access = 'read' } = scopes.get(scopeId) ?? {};
        const { budgets, rpm, concurrency, models } = effectiveTerms(defaults, record.terms);
        const budgetScope = (budgetId: string): string => `user:${scopeId}/${digest}#${budgetId}`;
        const token = namers.get(record.tokenId);
        return {
          id: idOf(record),
          name,
          scope: { kind, id: scopeId, ...(scopeName !== undefined && { name: scopeName }) },
          ...(token !== undefined && { token }),
          firstSeenAt: new Date(record.firstSeenAtMs).toISOString(),
          lastSeenAt: new Date(record.lastSeenAtMs).toISOString(),
          blocked: isBlocked,
          note,
          terms: {
            ...(budgets && { budgets: await budgetViews(budgets, budgetScope, options.budgets, nowMs()) }),
            ...(rpm !== undefined && { rpm }),
            ...(concurrency !== undefined && { concurrency }),
            ...(models !== undefined && { models }),
          },
          own: ownFields(record.terms),
          limited: defaults !== undefined,
          spend: spendView(spent.get(idOf(record))),
          access,
        };
      }),
    );
  }

  async function viewOf(actor: Actor, id: string): Promise<EndUserView> {
    const [view] = await views(actor, [await visible(actor, id)]);
    if (view === undefined) throw new GatewayError('not_found', 'End user not found.', { param: 'id' });
    return view;
  }

  return {
    async list(actor, { limit, after, text, tokenId, unitId, blocked }) {
      const place = cursorOf(after);
      const key = place && keyOf(place.id);
      if (place !== undefined && key === undefined) {
        throw new GatewayError('field_invalid', 'after: must be the `next` of a page', { param: 'after' });
      }
      const records = await endUsers.list({
        ...{ tokenId, unitId, blocked, seenBy: narrowedTo(actor), words: wordsIn(text) },
        after: place && key && { ...key, lastSeenAtMs: place.atMs },
        limit: limit + 1,
      });
      const shown = records.slice(0, limit);
      const last = shown.at(-1);
      const items = await views(actor, shown);
      if (records.length <= limit || last === undefined) return { items };
      return { items, next: cursorText({ atMs: last.lastSeenAtMs, id: idOf(last) }) };
    },
    show: viewOf,
    async change(actor, id, input) {
      const record = await visible(actor, id);
      const { terms: defaults = {}, access } = await scopeOf(actor, record.scopeId);
      requireChange(access);
      const { terms, blocked, note } = checked(changes, input);
      if (terms !== undefined && access !== 'full') {
        throw beyond('terms', 'only an administrator can change the limits of an end user of this token');
      }
      const kept = terms === undefined ? undefined : termsToKeep(changedOwnTerms(record.terms ?? {}, defaults, terms));
      await endUsers.change(record, {
        ...(kept !== undefined && { terms: kept }),
        ...(blocked !== undefined && { isBlocked: blocked }),
        ...(note !== undefined && { note }),
      });
      const fields = [
        ...(terms === undefined ? [] : terms === null ? ['terms'] : Object.keys(terms)),
        ...(blocked === undefined ? [] : [blocked ? 'blocked' : 'unblocked']),
        ...(note === undefined ? [] : ['note']),
      ];
      await audit.write(actor, { action: 'end-user-change', subject: `end-user:${id}`, detail: { fields } });
      return viewOf(actor, id);
    },
    async forget(actor, id) {
      const record = await visible(actor, id);
      requireChange((await scopeOf(actor, record.scopeId)).access);
      await endUsers.remove(record);
      // Without the name: the audit log is kept for longer.
      await audit.write(actor, { action: 'end-user-forget', subject: `end-user:${id}` });
    },
  };
}

function requireChange(access: EndUserAccess): void {
  if (access !== 'read') return;
  const message = 'Only those who may change the token, team or organization of this end user can do this.';
  throw new GatewayError('role_not_allowed', message);
}

/** Undefined for what cannot be one. */
function keyOf(id: string): EndUserKey | undefined {
  const [, scopeId, digest] = /^([\w-]{1,100})\.([0-9a-f]{32})$/.exec(id) ?? [];
  return scopeId === undefined || digest === undefined ? undefined : { scopeId, digest };
}

/** Each is a condition of its own for the database. */
const wordsMax = 8;

function wordsIn(text = ''): readonly string[] {
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length <= wordsMax) return words;
  throw new GatewayError('field_invalid', `q: must have at most ${wordsMax} words`, { param: 'q' });
}
