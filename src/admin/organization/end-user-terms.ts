/** An end user's own terms beside the defaults of their level. */

import type { EndUserTerms, LevelTerms } from '../../access/organization.ts';
import type { CheckedLevelTerms } from '../contracts/organization-contract.ts';
import { withoutAbsent } from '../tokens/token-terms.ts';
import { changedBudgets } from './budget-terms.ts';

const fields = ['budgets', 'rpm', 'concurrency', 'models'] as const;
type OwnField = (typeof fields)[number];

export const ownFields = (own: LevelTerms = {}): readonly OwnField[] =>
  fields.filter((field) => own[field] !== undefined);

/** As a request finds them: each field is their own, or else the default. */
export function effectiveTerms({ budgets, rpm }: EndUserTerms = {}, own: LevelTerms = {}): LevelTerms {
  return { ...(budgets && { budgets }), ...(rpm !== undefined && { rpm }), ...own };
}

type OwnChanges = Pick<CheckedLevelTerms, OwnField> | null;

/** Null, also of a field, returns to the defaults. A budget with the id of a default one keeps what was spent of it. */
export function changedOwnTerms(own: LevelTerms, defaults: EndUserTerms, changes: OwnChanges): LevelTerms {
  const { budgets, rpm, concurrency, models } = changes ?? {
    budgets: null,
    rpm: null,
    concurrency: null,
    models: null,
  };
  const pick = <Value>(given: Value | null | undefined, kept: Value | undefined): Value | undefined =>
    given === undefined ? kept : (given ?? undefined);
  const known = own.budgets ?? defaults.budgets;
  const before = budgets ? { ...own, ...(known && { budgets: known }) } : own;
  return withoutAbsent<LevelTerms>({
    ...changedBudgets(before, budgets, 'e'),
    rpm: pick(rpm, own.rpm),
    concurrency: pick(concurrency, own.concurrency),
    models: pick(models, own.models),
  });
}

/** Null where nothing is left to keep. */
export const termsToKeep = (terms: LevelTerms): LevelTerms | null => (Object.keys(terms).length === 0 ? null : terms);
