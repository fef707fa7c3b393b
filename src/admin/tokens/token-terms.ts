/** Converts a token's terms between input, stored record and view. */

import type { z } from 'zod';
import type { ModerationTerms, TokenRecord, TokenTerms } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { usdText } from '../../ledger/money.ts';
import { windowEndMs } from '../../ledger/window.ts';
import type {
  BudgetView,
  CheckedTokenChanges,
  LeastReservationView,
  ModerationMoment,
  TokenView,
} from '../contracts/contract.ts';
import { budgetTermsView, changedBudgets, changedEndUsers, endUserTermsView } from '../organization/budget-terms.ts';
import type { LeastReservation } from './least-reservation.ts';

/** The value, or an error that names the first field at fault. */
export function checked<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const param = issue.keys[0] ?? '';
    throw new GatewayError('field_invalid', `${param}: is not a known field`, { param });
  }
  const param = (issue?.path ?? []).reduce<string>(
    (path, step) =>
      typeof step === 'number' ? `${path}[${step}]` : path === '' ? String(step) : `${path}.${String(step)}`,
    '',
  );
  const absent = isAbsent(input, issue?.path ?? []);
  const reason = absent ? 'is required' : (issue?.message ?? 'is not allowed');
  throw new GatewayError(absent ? 'field_missing' : 'field_invalid', `${param || 'input'}: ${reason}`, { param });
}

function isAbsent(input: unknown, path: readonly PropertyKey[]): boolean {
  const [field] = path;
  if (path.length !== 1 || field === undefined || typeof input !== 'object' || input === null) return false;
  return Reflect.get(input, field) === undefined;
}

type Budget = NonNullable<TokenTerms['budget']>;

function changedBudget(before: Budget | undefined, changes: CheckedTokenChanges): Budget | undefined {
  const { budgetUsd: limitNano, budgetPeriod } = changes;
  if (limitNano === null) return undefined;
  if (limitNano !== undefined) return { limitNano, period: budgetPeriod ?? before?.period ?? 'total' };
  if (budgetPeriod === undefined || before === undefined) {
    if (budgetPeriod === undefined) return before;
    throw new GatewayError('field_invalid', 'budgetPeriod: needs a budget', { param: 'budgetPeriod' });
  }
  return { limitNano: before.limitNano, period: budgetPeriod };
}

/** Null drops a limit, absent keeps it. */
export function changedTerms(before: TokenTerms, changes: CheckedTokenChanges): TokenTerms {
  const pick = <Value>(given: Value | null | undefined, kept: Value | undefined): Value | undefined =>
    given === undefined ? kept : (given ?? undefined);
  return withoutAbsent<TokenTerms>({
    name: changes.name ?? before.name,
    disabled: (changes.disabled ?? before.disabled) || undefined,
    expiresAtMs: pick(changes.expiresAt, before.expiresAtMs),
    models: pick(changes.models, before.models),
    endpoints: pick(changes.endpoints, before.endpoints),
    addresses: pick(changes.addresses, before.addresses),
    tools: pick(changes.tools, before.tools),
    rpm: pick(changes.rpm, before.rpm),
    tpm: pick(changes.tpm, before.tpm),
    concurrency: pick(changes.concurrency, before.concurrency),
    budget: changedBudget(before.budget, changes),
    strict: (changes.strict ?? before.strict) || undefined,
    moderation: changedModeration(before.moderation, changes),
    labels: pick(changes.labels, before.labels),
    subTokensMax: pick(changes.subTokensMax, before.subTokensMax),
    ...changedBudgets(before, changes.budgets),
    endUsers: changedEndUsers(before.endUsers, changes.endUsers),
    maySteer: (changes.maySteer ?? before.maySteer) || undefined,
    mayExplain: (changes.mayExplain ?? before.mayExplain) || undefined,
  });
}

function changedModeration(
  before: ModerationTerms | undefined,
  { moderate, moderationModel }: CheckedTokenChanges,
): ModerationTerms | undefined {
  if (moderate === null) return undefined;
  const moment = moderate ?? momentOf(before);
  if (moment === undefined) {
    if (moderationModel === undefined || moderationModel === null) return undefined;
    const message = 'moderationModel: choose what to moderate first';
    throw new GatewayError('field_invalid', message, { param: 'moderationModel' });
  }
  return withoutAbsent<ModerationTerms>({
    before: moment !== 'after' || undefined,
    after: moment !== 'before' || undefined,
    model: moderationModel === undefined ? before?.model : (moderationModel ?? undefined),
  });
}

function momentOf(terms: ModerationTerms | undefined): ModerationMoment | undefined {
  if (terms?.before === true) return terms.after === true ? 'both' : 'before';
  return terms?.after === true ? 'after' : undefined;
}

type Sparse<Shape> = { [Key in keyof Shape]: Shape[Key] | undefined };

/** Absent fields are left out altogether, so that records compare and store alike whichever way they were made. */
export function withoutAbsent<Shape extends object>(shape: Sparse<Shape>): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Shape;
}

export interface BudgetState {
  readonly spentNano: bigint;
  readonly heldNano: bigint;
  /** What any request without an output limit reserves, at least. */
  readonly least?: LeastReservation | undefined;
}

/** The part of a budget that is neither spent nor held. */
export function leftOf(limitNano: bigint, { spentNano, heldNano }: BudgetState): bigint {
  const leftNano = limitNano - spentNano - heldNano;
  return leftNano > 0n ? leftNano : 0n;
}

/** Absent where what is left is enough for some request. */
export function leastView(leftNano: bigint, least: LeastReservation | undefined): LeastReservationView | undefined {
  return least === undefined || leftNano >= least.nano ? undefined : { usd: usdText(least.nano), model: least.model };
}

function budgetView(budget: Budget | undefined, state: BudgetState | undefined, nowMs: number): BudgetView | undefined {
  if (budget === undefined) return undefined;
  const { limitNano, period } = budget;
  const limit = { limitUsd: usdText(limitNano), limitNano: limitNano.toString(), period };
  if (state === undefined) return limit;
  const leftNano = leftOf(limitNano, state);
  return withoutAbsent<BudgetView>({
    ...limit,
    spentUsd: usdText(state.spentNano),
    heldUsd: usdText(state.heldNano),
    leftUsd: usdText(leftNano),
    resetsAt: isoText(windowEndMs(period, nowMs)),
    least: leastView(leftNano, state.least),
  });
}

export const isoText = (atMs: number | undefined): string | undefined =>
  atMs === undefined ? undefined : new Date(atMs).toISOString();

export function tokenView(record: TokenRecord, nowMs: number, state?: BudgetState): TokenView {
  const { terms } = record;
  const expired = terms.expiresAtMs !== undefined && nowMs >= terms.expiresAtMs;
  return withoutAbsent<TokenView>({
    id: record.id,
    name: terms.name,
    hint: record.hint,
    state: record.revokedAtMs !== undefined ? 'revoked' : expired ? 'expired' : terms.disabled ? 'disabled' : 'active',
    disabled: terms.disabled,
    createdAt: new Date(record.createdAtMs).toISOString(),
    expiresAt: isoText(terms.expiresAtMs),
    revokedAt: isoText(record.revokedAtMs),
    ownerId: record.ownerId,
    unitId: record.unitId,
    models: terms.models,
    endpoints: terms.endpoints,
    addresses: terms.addresses,
    tools: terms.tools,
    rpm: terms.rpm,
    tpm: terms.tpm,
    concurrency: terms.concurrency,
    budget: budgetView(terms.budget, state, nowMs),
    strict: terms.strict === true,
    moderate: momentOf(terms.moderation),
    moderationModel: terms.moderation?.model,
    labels: terms.labels,
    subTokensMax: terms.subTokensMax,
    budgets: terms.budgets?.map(budgetTermsView),
    endUsers: terms.endUsers && endUserTermsView(terms.endUsers),
    maySteer: terms.maySteer === true,
    mayExplain: terms.mayExplain === true,
  });
}
