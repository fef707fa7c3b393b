/** Rules as administrators make, change and delete them, and the history of alerts. */

import type { Audit } from '../admin/accounts/audit.ts';
import type { Actor } from '../admin/accounts/sessions.ts';
import type { PageView } from '../admin/contracts/account-contract.ts';
import { type AlertView, newRuleSchema, type RuleView, ruleChangesSchema } from '../admin/contracts/alert-contract.ts';
import { cursorOf, cursorText } from '../admin/page.ts';
import { checked } from '../admin/tokens/token-terms.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type {
  AlertKind,
  AlertRecord,
  AlertState,
  DeliveryRecord,
  RuleRecord,
  RuleTerms,
} from '../store/alerts/alert-records.ts';
import { type AlertStore, alertBounds } from '../store/alerts/alert-store.ts';
import { thresholdDefaults } from './evaluate/evaluate.ts';
import { isTimeZone } from './quiet-hours.ts';

interface RuleAdminParts {
  readonly store: Pick<AlertStore, 'rules' | 'channels' | 'list' | 'deliveriesOf'>;
  readonly audit: Audit;
  nowMs(): number;
  newId(prefix: string): string;
}

interface AlertQuery {
  readonly kind?: AlertKind | undefined;
  readonly state?: AlertState | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

export interface RuleAdmin {
  list(): Promise<readonly RuleView[]>;
  create(actor: Actor, input: unknown): Promise<RuleView>;
  change(actor: Actor, id: string, input: unknown): Promise<RuleView>;
  remove(actor: Actor, id: string): Promise<void>;
  history(query: AlertQuery): Promise<PageView<AlertView>>;
}

/** What a rule may be given, beside its name and state; null removes. */
type GivenTerms = Partial<Omit<RuleTerms, 'quiet' | 'repeatMinutes'>> & {
  readonly quiet?: RuleTerms['quiet'] | null | undefined;
  readonly repeatMinutes?: number | null | undefined;
};

export function createRuleAdmin({ store, audit, nowMs, newId }: RuleAdminParts): RuleAdmin {
  async function find(id: string): Promise<RuleRecord> {
    const found = (await store.rules.list()).find((rule) => rule.id === id);
    if (found === undefined) throw new GatewayError('not_found', 'There is no such rule. It may have been deleted.');
    return found;
  }

  async function requireValid({ channels, quiet }: RuleTerms): Promise<void> {
    const known = new Set((await store.channels.list()).map(({ id }) => id));
    const absent = channels.find((id) => !known.has(id));
    if (absent !== undefined) throw invalid('channels', `there is no channel ${absent}`);
    if (quiet !== undefined && !isTimeZone(quiet.timeZone))
      throw invalid('quiet.timeZone', 'must be the name of a time zone, such as Europe/Berlin');
  }

  return {
    list: async () => (await store.rules.list()).map(ruleView),
    async create(actor, input) {
      const { name, disabled = false, ...given } = checked(newRuleSchema, input);
      if ((await store.rules.list()).length >= alertBounds.rulesMax)
        throw new GatewayError('field_invalid', `There are ${alertBounds.rulesMax} rules already. Delete one first.`);
      const base: RuleTerms = { ...thresholdDefaults, kinds: [], channels: [], severityMin: 'info' };
      const terms = withGiven(base, withoutAbsent(given));
      await requireValid(terms);
      const atMs = nowMs();
      const rule = { id: newId('rule_'), name, terms, disabled, createdAtMs: atMs, updatedAtMs: atMs };
      await store.rules.put(rule);
      await audit.write(actor, { action: 'alert-rule-create', subject: name, detail: { kinds: terms.kinds } });
      return ruleView(rule);
    },
    async change(actor, id, input) {
      const { name, disabled, ...given } = checked(ruleChangesSchema, input);
      const before = await find(id);
      const terms = withGiven(before.terms, withoutAbsent(given));
      await requireValid(terms);
      const rule: RuleRecord = {
        ...before,
        terms,
        ...(name !== undefined && { name }),
        ...(disabled !== undefined && { disabled }),
        updatedAtMs: nowMs(),
      };
      await store.rules.put(rule);
      const changed = Object.keys(withoutAbsent({ name, disabled, ...given }));
      await audit.write(actor, { action: 'alert-rule-change', subject: rule.name, detail: { changed } });
      return ruleView(rule);
    },
    async remove(actor, id) {
      const { name } = await find(id);
      await store.rules.remove(id);
      await audit.write(actor, { action: 'alert-rule-delete', subject: name });
    },
    async history({ kind, state, limit, after }) {
      const page = await store.list({ limit, after: cursorOf(after) }, { kind, state });
      const sent = await store.deliveriesOf(page.items.map(({ id }) => id));
      const names = new Map((await store.channels.list()).map(({ id, name }) => [id, name]));
      const byAlert = Map.groupBy(sent, ({ alertId }) => alertId);
      const items = page.items.map((alert) => alertView(alert, byAlert.get(alert.id) ?? [], names));
      return page.next === undefined ? { items } : { items, next: cursorText(page.next) };
    },
  };
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `${param}: ${rule}`, { param });
}

function withoutAbsent<Given extends object>(
  given: Given,
): { [Name in keyof Given]?: Exclude<Given[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

function withGiven(before: RuleTerms, { quiet, repeatMinutes, ...rest }: GivenTerms): RuleTerms {
  const { quiet: quietBefore, repeatMinutes: repeatBefore, ...others } = before;
  const nextQuiet = quiet === undefined ? quietBefore : (quiet ?? undefined);
  const nextRepeat = repeatMinutes === undefined ? repeatBefore : (repeatMinutes ?? undefined);
  return {
    ...others,
    ...rest,
    ...(nextQuiet !== undefined && { quiet: nextQuiet }),
    ...(nextRepeat !== undefined && { repeatMinutes: nextRepeat }),
  };
}

function ruleView({ id, name, terms, disabled, createdAtMs, updatedAtMs }: RuleRecord): RuleView {
  const createdAt = new Date(createdAtMs).toISOString();
  return { id, name, ...terms, disabled, createdAt, updatedAt: new Date(updatedAtMs).toISOString() };
}

function alertView(
  { occurrence: _occurrence, raisedAtMs, seenAtMs, resolvedAtMs, ...alert }: AlertRecord,
  deliveries: readonly DeliveryRecord[],
  channelNames: ReadonlyMap<string, string>,
): AlertView {
  return {
    ...alert,
    raisedAt: new Date(raisedAtMs).toISOString(),
    seenAt: new Date(seenAtMs).toISOString(),
    ...(resolvedAtMs !== undefined && { resolvedAt: new Date(resolvedAtMs).toISOString() }),
    deliveries: deliveries.map(({ channelId, notice, state, tries, endedAtMs, dueAtMs, lastError }) => {
      const channelName = channelNames.get(channelId);
      return {
        ...{ channelId, notice, state, tries, at: new Date(endedAtMs ?? dueAtMs).toISOString() },
        ...(channelName !== undefined && { channelName }),
        ...(lastError !== undefined && { error: lastError }),
      };
    }),
  };
}
