/** The terms of a level as the database has them: JSON has no big integers, so limits are written as digits. */

import type { EndUserTerms, LevelBudget, LevelTerms } from '../../access/organization.ts';

type StoredBudget = Omit<LevelBudget, 'limit' | 'raise'> & {
  readonly limit: string;
  readonly raise?: { readonly limit: string; readonly untilMs: number };
};

/** The fields that hold budgets, of a level and of a token alike. */
interface Budgeted {
  readonly budgets?: readonly LevelBudget[];
  readonly endUsers?: EndUserTerms;
}

type StoredUsers = Omit<EndUserTerms, 'budgets'> & { readonly budgets?: readonly StoredBudget[] };

export interface StoredBudgeted {
  readonly budgets?: readonly StoredBudget[] | undefined;
  readonly endUsers?: StoredUsers | undefined;
}

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

/** They replace the fields of these names. */
export function storedBudgets({ budgets, endUsers }: Budgeted): StoredBudgeted {
  return {
    ...(budgets !== undefined && { budgets: budgets.map(storedBudget) }),
    ...(endUsers !== undefined && { endUsers: storedUsers(endUsers) }),
  };
}

const storedUsers = ({ budgets, ...rest }: EndUserTerms) =>
  budgets === undefined ? rest : { ...rest, budgets: budgets.map(storedBudget) };

export function readBudgets({ budgets, endUsers }: StoredBudgeted): Budgeted {
  return {
    ...(budgets !== undefined && { budgets: budgets.map(readBudget) }),
    ...(endUsers !== undefined && { endUsers: readUsers(endUsers) }),
  };
}

const readUsers = ({ budgets, ...rest }: StoredUsers): EndUserTerms =>
  budgets === undefined ? rest : { ...rest, budgets: budgets.map(readBudget) };

export function levelTermsJson(terms: LevelTerms): string {
  return JSON.stringify({ ...terms, ...storedBudgets(terms) });
}

export function readLevelTerms(json: string): LevelTerms {
  const stored = JSON.parse(json) as Omit<LevelTerms, keyof Budgeted> & StoredBudgeted;
  return { ...stored, ...readBudgets(stored) } as LevelTerms;
}
