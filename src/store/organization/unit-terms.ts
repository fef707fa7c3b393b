/** The terms of a level as the database has them: JSON has no big integers, so limits are written as digits. */

import type { LevelBudget, LevelTerms } from '../../access/organization.ts';

type StoredBudget = Omit<LevelBudget, 'limit' | 'raise'> & {
  readonly limit: string;
  readonly raise?: { readonly limit: string; readonly untilMs: number };
};
type StoredTerms = Omit<LevelTerms, 'budgets'> & { readonly budgets?: readonly StoredBudget[] };

const storedBudget = ({ limit, raise, ...rest }: LevelBudget): StoredBudget => ({
  ...rest,
  limit: limit.toString(),
  ...(raise !== undefined && { raise: { ...raise, limit: raise.limit.toString() } }),
});

const readBudget = ({ limit, raise, ...rest }: StoredBudget): LevelBudget => ({
  ...rest,
  limit: BigInt(limit),
  ...(raise !== undefined && { raise: { ...raise, limit: BigInt(raise.limit) } }),
});

export function levelTermsJson({ budgets, ...rest }: LevelTerms): string {
  return JSON.stringify(budgets === undefined ? rest : { ...rest, budgets: budgets.map(storedBudget) });
}

export function readLevelTerms(json: string): LevelTerms {
  const { budgets, ...rest } = JSON.parse(json) as StoredTerms;
  return budgets === undefined ? rest : { ...rest, budgets: budgets.map(readBudget) };
}
