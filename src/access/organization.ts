/**
 * The levels above a token: the organization, its teams, their projects, and the people who are members of teams. A
 * request counts against every level that it belongs to.
 */

/** Windows start at midnight UTC; a total budget never resets. */
export type BudgetPeriod = 'total' | 'day' | 'week' | 'month';

/** From top to bottom. A project belongs to a team, a team to the organization. */
export type UnitKind = 'organization' | 'team' | 'project';

/** There is exactly one organization. It exists from the first start, without limits. */
export const organizationId = 'org';

/** What a budget counts: nano-USD, requests that were served, or tokens of input and output. */
export const budgetUnits = ['usd', 'requests', 'tokens'] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** One budget of a level. A level may have several at once. */
export interface LevelBudget {
  /** Distinguishes the budgets of a level. It stays the same when the budget is changed, so that what was spent does too. */
  readonly id: string;
  readonly unit: BudgetUnit;
  /** Nano-USD, or a number of requests or tokens. */
  readonly limit: bigint;
  readonly period: BudgetPeriod;
  /** Globs over model names; absent means all models. */
  readonly models?: readonly string[];
  /** The limit is higher until then. */
  readonly raise?: { readonly limit: bigint; readonly untilMs: number };
}

/** What can be set for a level. Absent means no limit at this level. */
export interface LevelTerms {
  readonly budgets?: readonly LevelBudget[];
  /** The highest number that a budget's id ever had here: ids are never used again, or a new budget would begin spent. */
  readonly budgetsMade?: number;
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  /** Globs over model names (`gpt-*`, `up/*`). */
  readonly models?: readonly string[];
  /** Endpoint names of the route table (`chat`, `models`, …). */
  readonly endpoints?: readonly string[];
  /**
   * Globs over the names of tools that providers run and bill (`web_search`). Empty: none. Absent: all, or with a budget in
   * money those whose price is known.
   */
  readonly tools?: readonly string[];
  /** The operator's routes match groups of tokens by these (`team-a`, `eu`). Tokens below have them too. */
  readonly labels?: readonly string[];
  /** Every token below is refused until it is enabled again. */
  readonly disabled?: boolean;
  /** What limits each end user of the tokens below. The terms of the nearest level count. */
  readonly endUsers?: EndUserTerms;
}

/** What limits each end user whom requests name. An end user counts from the first request that names them. */
export interface EndUserTerms {
  /** For an end user without budgets of their own. */
  readonly budgets?: readonly LevelBudget[];
  /** As of a level: ids of default budgets are never used again. */
  readonly budgetsMade?: number;
  readonly rpm?: number;
  /** How many end users one token may have; absent means 10,000. */
  readonly max?: number;
}

export interface UnitRecord {
  /** `org`, `team_…` or `proj_…`. */
  readonly id: string;
  readonly kind: UnitKind;
  /** Absent for the organization. */
  readonly parentId?: string;
  readonly name: string;
  readonly terms: LevelTerms;
  readonly createdAtMs: number;
}

/** From reading to changing the team. */
export const teamRoles = ['viewer', 'member', 'admin'] as const;
export type TeamRole = (typeof teamRoles)[number];

export interface MembershipRecord {
  readonly teamId: string;
  readonly accountId: string;
  readonly role: TeamRole;
  /** Who made it: `manual`, or the name of an issuer or directory, which may then change and remove it. */
  readonly source: string;
  readonly createdAtMs: number;
}
