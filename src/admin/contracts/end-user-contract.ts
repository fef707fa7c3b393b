/** What the console and the admin interface exchange about end users. */

import { z } from 'zod';
import type { UnitKind } from '../../access/organization.ts';
import type { TokenSpendView } from './account-contract.ts';
import type { LevelBudgetView } from './budget-contract.ts';
import { levelTermsSchema } from './organization-contract.ts';
import type { TokenRules } from './term-fields.ts';

export const endUserBounds = {
  noteLengthMax: 1_000,
  pageMax: 200,
} as const;

/** Null, and a field that is null: what the level says for all its end users counts again. Absent stays as it is. */
export function endUserChangesSchema(rules: TokenRules) {
  const { noteLengthMax } = endUserBounds;
  return z.strictObject({
    terms: levelTermsSchema(rules)
      .pick({ budgets: true, rpm: true, concurrency: true, models: true })
      .nullable()
      .optional(),
    blocked: z.boolean('must be true or false').optional(),
    note: z
      .string('must be text')
      .trim()
      .max(noteLengthMax, `must have at most ${noteLengthMax} characters`)
      .optional(),
  });
}

export type EndUserChanges = z.input<ReturnType<typeof endUserChangesSchema>>;

/** `full`: everything. `block`: also their limits are an administrator's. */
export type EndUserAccess = 'full' | 'block' | 'read';

export interface EndUserView {
  /** The level and a digest of the name: `team_ab12.0123…`. */
  readonly id: string;
  /** As requests name them; cut at 128 characters. */
  readonly name: string;
  /** The level that has the terms for end users. The name is absent where the reader may not see the level. */
  readonly scope: { readonly kind: UnitKind | 'token'; readonly id: string; readonly name?: string };
  /** The token that named them first; absent where the reader may not see it. */
  readonly token?: { readonly id: string; readonly name: string };
  readonly firstSeenAt: string;
  /** Within an hour. */
  readonly lastSeenAt: string;
  readonly blocked: boolean;
  readonly note: string;
  /** What counts for them: their own terms, and where they have none the defaults of the level. */
  readonly terms: {
    readonly budgets?: readonly LevelBudgetView[];
    readonly rpm?: number;
    readonly concurrency?: number;
    readonly models?: readonly string[];
  };
  /** Which of the terms are their own. */
  readonly own: readonly ('budgets' | 'rpm' | 'concurrency' | 'models')[];
  /** False: the level has no terms for end users any more, and nothing here limits them. */
  readonly limited: boolean;
  /** Of requests that name them, of the level's tokens. */
  readonly spend: TokenSpendView;
  readonly access: EndUserAccess;
}
