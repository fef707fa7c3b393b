/** What the console, the command line and the admin interface exchange about teams, projects, members and their terms. */

import { z } from 'zod';
import { type TeamRole, teamRoles } from '../../access/organization.ts';
import { budgetsSchema, type EndUserTermsView, endUserTermsSchema, type LevelBudgetView } from './budget-contract.ts';
import { type TokenRules, termFields, tokenBounds } from './term-fields.ts';

export { type BudgetUnit, budgetUnits, type TeamRole, teamRoles } from '../../access/organization.ts';
export { type CheckedBudget, type LevelBudgetView, organizationBounds } from './budget-contract.ts';

/** Null removes a limit, absent leaves it as it is. A list of budgets replaces the one before, by their ids. */
export function levelTermsSchema({ endpoints, nowMs }: TokenRules) {
  const { count, list, glob, tools, labels } = termFields;
  const endpoint = z.string().refine((text) => endpoints.includes(text), {
    error: `must be one of ${endpoints.join(', ')}`,
  });
  return z.strictObject({
    budgets: budgetsSchema(nowMs),
    rpm: count(tokenBounds.rpmMax),
    tpm: count(tokenBounds.tpmMax),
    concurrency: count(tokenBounds.concurrencyMax),
    models: list(glob, 'model names or patterns'),
    endpoints: list(endpoint, 'endpoint names'),
    tools,
    labels,
    disabled: z.boolean('must be true or false').optional(),
    endUsers: endUserTermsSchema(nowMs),
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

export interface LevelTermsView {
  readonly budgets?: readonly LevelBudgetView[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  readonly models?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly tools?: readonly string[];
  readonly labels?: readonly string[];
  readonly disabled?: boolean;
  readonly endUsers?: EndUserTermsView;
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
