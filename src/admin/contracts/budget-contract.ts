/** The budgets of a level, and the terms for each end user of the tokens below it: their input and how they are shown. */

import { z } from 'zod';
import { type BudgetUnit, budgetUnits, type LevelBudget } from '../../access/organization.ts';
import { nanoFromUsd } from '../../ledger/money.ts';
import { budgetPeriods, termFields, tokenBounds } from './term-fields.ts';

export const organizationBounds = {
  budgetsMax: 16,
  unitsListedMax: 2_000,
  membersListedMax: 1_000,
  /** Of one token. */
  endUsersMax: 10_000_000,
  /** Requests or tokens: far inside 64 bits. */
  amountMax: 1_000_000_000_000_000,
} as const;

const usdRule = 'must be an amount above 0 such as 5 or "0.25", with at most 9 decimals';
const amountRule = `must be a whole number from 1 to ${organizationBounds.amountMax}`;

/** Nano-USD, requests or tokens; undefined for anything else. */
function amountOf(unit: BudgetUnit, given: string | number): bigint | undefined {
  if (unit === 'usd') {
    const nano = nanoFromUsd(given);
    return nano === undefined || nano <= 0n ? undefined : nano;
  }
  const text = String(given);
  if (!/^[0-9]{1,16}$/.test(text)) return undefined;
  const amount = BigInt(text);
  return amount > 0n && amount <= BigInt(organizationBounds.amountMax) ? amount : undefined;
}

const amount = z.union([z.string(), z.number()], usdRule);
const idRule = 'must be letters, digits, _ or -, at most 32 of them';
const unit = z.enum(budgetUnits, `must be one of ${budgetUnits.join(', ')}`);
const period = z.enum(budgetPeriods, `must be one of ${budgetPeriods.join(', ')}`);

/** A budget that is given without an id is a new one. */
export type CheckedBudget = Omit<LevelBudget, 'id'> & { readonly id?: string };

const budgetSchema = (nowMs: () => number) =>
  z
    .strictObject({
      id: z
        .string(idRule)
        .regex(/^[\w-]{1,32}$/, idRule)
        .optional(),
      unit,
      limit: amount,
      period,
      models: termFields.list(termFields.glob, 'model names or patterns'),
      raise: z
        .strictObject({ limit: amount, until: termFields.expiry(nowMs) })
        .nullable()
        .optional(),
    })
    .transform(({ id, models, raise, ...given }, context): CheckedBudget => {
      const rule = given.unit === 'usd' ? usdRule : amountRule;
      const read = (value: string | number, path: readonly string[]): bigint => {
        const found = amountOf(given.unit, value);
        if (found === undefined) context.addIssue({ code: 'custom', message: rule, path: [...path] });
        return found ?? 0n;
      };
      const limit = read(given.limit, ['limit']);
      const raised = raise && { limit: read(raise.limit, ['raise', 'limit']), untilMs: raise.until ?? 0 };
      if (raised && (raise.until === undefined || raise.until === null)) {
        context.addIssue({ code: 'custom', message: 'must be a date', path: ['raise', 'until'] });
      }
      if (raised && raised.limit <= limit) {
        context.addIssue({ code: 'custom', message: 'must be above the limit', path: ['raise', 'limit'] });
      }
      return {
        ...(id !== undefined && { id }),
        unit: given.unit,
        limit,
        period: given.period,
        ...(models && { models }),
        ...(raised && { raise: raised }),
      };
    });

export function budgetsSchema(nowMs: () => number) {
  const { budgetsMax } = organizationBounds;
  return z
    .array(budgetSchema(nowMs), 'must be a list of budgets, or null for none')
    .max(budgetsMax, `must have at most ${budgetsMax} entries`)
    .nullable()
    .optional();
}

/** Null: the level has no terms for end users. Of the fields, null removes and absent leaves as it is. */
export function endUserTermsSchema(nowMs: () => number) {
  const { count } = termFields;
  return z
    .strictObject(
      {
        budgets: budgetsSchema(nowMs),
        rpm: count(tokenBounds.rpmMax),
        max: count(organizationBounds.endUsersMax),
      },
      'must have budgets, rpm or max, or be null for none',
    )
    .nullable()
    .optional();
}
export type CheckedEndUserTerms = z.output<ReturnType<typeof endUserTermsSchema>>;

/** Amounts are texts: dollars as decimals, requests and tokens as digits. */
export interface LevelBudgetView {
  readonly id: string;
  readonly unit: BudgetUnit;
  readonly limit: string;
  readonly period: (typeof budgetPeriods)[number];
  readonly models?: readonly string[];
  readonly raise?: { readonly limit: string; readonly until: string };
  /** Of the current period. `left` counts a raise that has not ended. */
  readonly spent: string;
  readonly held: string;
  readonly left: string;
  /** The spent part, 0 to 1, and above where the limit was lowered. */
  readonly share: number;
  /** Absent where the budget never resets. */
  readonly resetsAt?: string;
}

/** A budget as it is set, without what was spent: each end user has their own. */
export type BudgetTermsView = Pick<LevelBudgetView, 'id' | 'unit' | 'limit' | 'period' | 'models' | 'raise'>;

/** What limits each end user of the tokens below. */
export interface EndUserTermsView {
  readonly budgets?: readonly BudgetTermsView[];
  readonly rpm?: number;
  /** How many end users one token may have; absent: 10,000. */
  readonly max?: number;
}
