/** What the console, the command line and the admin interface exchange about teams, projects, members and their terms. */

import { z } from 'zod';
import { type BudgetUnit, budgetUnits, type LevelBudget, type TeamRole, teamRoles } from '../../access/organization.ts';
import { nanoFromUsd } from '../../ledger/money.ts';
import { budgetPeriods, type TokenRules, termFields, tokenBounds } from './usage-contract.ts';

export { type BudgetUnit, budgetUnits, type TeamRole, teamRoles } from '../../access/organization.ts';

export const organizationBounds = {
  budgetsMax: 16,
  unitsListedMax: 2_000,
  membersListedMax: 1_000,
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

/** Null removes a limit, absent leaves it as it is. A list of budgets replaces the one before, by their ids. */
export function levelTermsSchema({ endpoints, nowMs }: TokenRules) {
  const { count, list, glob, labels } = termFields;
  const { budgetsMax } = organizationBounds;
  const endpoint = z.string().refine((text) => endpoints.includes(text), {
    error: `must be one of ${endpoints.join(', ')}`,
  });
  return z.strictObject({
    budgets: z
      .array(budgetSchema(nowMs), 'must be a list of budgets, or null for none')
      .max(budgetsMax, `must have at most ${budgetsMax} entries`)
      .nullable()
      .optional(),
    rpm: count(tokenBounds.rpmMax),
    tpm: count(tokenBounds.tpmMax),
    concurrency: count(tokenBounds.concurrencyMax),
    models: list(glob, 'model names or patterns'),
    endpoints: list(endpoint, 'endpoint names'),
    labels,
    disabled: z.boolean('must be true or false').optional(),
  });
}

export function unitChangesSchema(rules: TokenRules) {
  return z.strictObject({ name: termFields.name.optional(), terms: levelTermsSchema(rules).optional() });
}

export function newUnitSchema(rules: TokenRules) {
  return unitChangesSchema(rules).extend({ name: termFields.name });
}

export function personTermsSchema(rules: TokenRules) {
  return z.strictObject({ terms: levelTermsSchema(rules) });
}

export const membershipSchema = z.strictObject({
  role: z.enum(teamRoles, `must be one of ${teamRoles.join(', ')}`),
});

export type LevelTermsInput = z.input<ReturnType<typeof levelTermsSchema>>;
export type CheckedLevelTerms = z.output<ReturnType<typeof levelTermsSchema>>;
export type UnitChanges = z.input<ReturnType<typeof unitChangesSchema>>;
export type NewUnit = z.input<ReturnType<typeof newUnitSchema>>;
export type MembershipChange = z.input<typeof membershipSchema>;

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

export interface LevelTermsView {
  readonly budgets?: readonly LevelBudgetView[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  readonly models?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly labels?: readonly string[];
  readonly disabled?: boolean;
}

export interface ProjectView {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly terms: LevelTermsView;
  /** Tokens of the project that were not revoked. */
  readonly tokens: number;
}

export interface TeamView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly terms: LevelTermsView;
  /** Tokens of the team itself that were not revoked; those of its projects are counted there. */
  readonly tokens: number;
  readonly members: number;
  readonly projects: readonly ProjectView[];
  /** The reader's role in it; absent where they have none. */
  readonly role?: TeamRole;
  /** May change its name, projects, members and tokens. */
  readonly mayManage: boolean;
}

/** `GET /console/api/organization`: the tree as far as the reader may see it. */
export interface OrganizationView {
  readonly name: string;
  /** Only for those who see all teams. */
  readonly terms?: LevelTermsView;
  /** May change the organization, make teams, and set the terms of teams. */
  readonly mayManage: boolean;
  readonly teams: readonly TeamView[];
}

export interface MemberView {
  readonly accountId: string;
  readonly name: string;
  readonly role: TeamRole;
  /** `manual`, or the name of the issuer or directory that made it. */
  readonly source: string;
  readonly since: string;
  readonly state: 'active' | 'disabled';
}

/** What a person has: limits over all their tokens together, and the teams they are in. */
export interface PersonTermsView {
  readonly accountId: string;
  readonly name: string;
  readonly terms: LevelTermsView;
  readonly memberships: readonly {
    readonly teamId: string;
    readonly teamName: string;
    readonly role: TeamRole;
    readonly source: string;
  }[];
}
