/** Units, their terms and the tokens in them, written straight into the store of a running Weir. */

import type { TokenTerms } from '../../src/access/caller.ts';
import type { LevelBudget, LevelTerms, UnitKind } from '../../src/access/organization.ts';
import type { Store } from '../../src/store/store.ts';
import { written } from './commands.ts';
import { createToken, type MadeToken } from './token.ts';
import type { RunningWeir } from './weir.ts';

export async function onStore<Result>(weir: RunningWeir, work: (store: Store) => Promise<Result>): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  await written(weir, async (store) => {
    result = { value: await work(store) };
    return 0;
  });
  if (result === undefined) throw new Error('the store was not reached');
  return result.value;
}

let made = 0;

/** Its id. */
export async function addUnit(
  weir: RunningWeir,
  kind: Exclude<UnitKind, 'organization'>,
  name: string,
  terms: LevelTerms = {},
  parentId = 'org',
): Promise<string> {
  const id = `${kind === 'team' ? 'team' : 'proj'}_${crypto.randomUUID().slice(0, 8)}`;
  const nameKey = `${name.toLowerCase()} ${++made}`;
  const unit = { id, kind, parentId, name, nameKey, terms, createdAtMs: Date.now() };
  const outcome = await onStore(weir, (store) => store.organization.insert(unit));
  if (outcome !== 'changed') throw new Error(`a unit was not made: ${outcome}`);
  return id;
}

export async function setUnitTerms(weir: RunningWeir, id: string, terms: LevelTerms): Promise<void> {
  await onStore(weir, (store) => store.organization.update(id, { terms }));
}

interface Placed {
  readonly unitId?: string;
  readonly ownerId?: string;
  readonly terms?: Partial<TokenTerms>;
}

/** A token of a unit or a person. It was not used before, so that no server knows it without. */
export async function tokenIn(weir: RunningWeir, { unitId, ownerId, terms }: Placed): Promise<MadeToken> {
  const token = await createToken(weir);
  await onStore(weir, async ({ tokens }) => {
    const record = await tokens.byId(token.id);
    if (record === undefined) throw new Error('the token is gone');
    if (terms !== undefined) await tokens.updateTerms(token.id, { ...record.terms, ...terms });
    if (unitId !== undefined) await tokens.changeUnit(token.id, unitId);
    if (ownerId !== undefined) await tokens.changeOwner(token.id, ownerId);
  });
  return token;
}

/** A person with terms for all of their tokens together. */
export async function addPerson(weir: RunningWeir, name: string, terms: LevelTerms): Promise<string> {
  const id = `acc_${crypto.randomUUID().slice(0, 8)}`;
  await onStore(weir, async ({ accounts, organization }) => {
    const account = { id, name, nameKey: `${name}-${id}`, role: 'member' as const, passwordHash: 'x', createdAtMs: 0 };
    await accounts.insert(account);
    await organization.setPersonTerms(id, terms);
  });
  return id;
}

export const requestsBudget = (limit: number, more: Partial<LevelBudget> = {}): LevelBudget => ({
  id: 'requests',
  unit: 'requests',
  limit: BigInt(limit),
  period: 'day',
  ...more,
});
