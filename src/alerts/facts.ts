/** What alerts are evaluated from, as it was read from the store at one moment. */

import type { BudgetUnit } from '../access/organization.ts';
import type { EndingModelView } from '../admin/contracts/analytics-contract.ts';
import type { ReplicaCondition } from '../observe/share-conditions.ts';
import type { UnpricedModel } from '../store/analytics/analytics-store.ts';
import type { AttemptWindow } from '../store/health/attempt-health-store.ts';

/** One budget of a level in its current window. */
export interface BudgetFact {
  /** The scope that requests count against, as `team:team_1#b1`. */
  readonly scope: string;
  /** As people know it: `team Research`. */
  readonly name: string;
  readonly unit: BudgetUnit;
  readonly limit: bigint;
  readonly spent: bigint;
  readonly windowStartMs: number;
  /** Absent where it never resets. */
  readonly windowEndMs?: number | undefined;
}

/** The spend of one hour, and that of the same hour in earlier weeks. */
export interface SpendFact {
  readonly subject: string;
  readonly name: string;
  readonly hourStartMs: number;
  readonly spentNano: bigint;
  /** Only of weeks in which Weir was in use. */
  readonly earlierNano: readonly bigint[];
}

export interface ExpiryFact {
  readonly tokenId: string;
  readonly name: string;
  readonly expiresAtMs: number;
}

export interface Facts {
  readonly nowMs: number;
  readonly budgets: readonly BudgetFact[];
  readonly spends: readonly SpendFact[];
  /** The window of error rates. */
  readonly attempts: AttemptWindow;
  /** The window of outages, which is shorter. */
  readonly recent: AttemptWindow;
  readonly recentFromMs: number;
  /** Names of the providers that are configured. */
  readonly providers: readonly string[];
  readonly expiring: readonly ExpiryFact[];
  readonly unpriced: readonly UnpricedModel[];
  readonly ending: readonly EndingModelView[];
  /** What processes of Weir say is wrong with themselves. */
  readonly conditions: readonly ReplicaCondition[];
}
