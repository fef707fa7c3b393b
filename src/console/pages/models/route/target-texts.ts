/** Between the typed fields of a target and its entry; a field that says nothing leaves nothing in the entry. */

import type { TargetEntry } from '../../../../admin/contracts/configuration-contract.ts';

type Conditions = NonNullable<TargetEntry['only']>;

export const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value));
export const wordsText = (value: readonly string[] | undefined): string => (value ?? []).join(' ');

/** Empty is no number; what is not one, or too small, is wrong. */
export function readNumber(text: string, least: number): number | undefined | 'wrong' {
  const plain = text.trim().replace(',', '.');
  if (plain === '') return undefined;
  const value = Number(plain);
  if (!Number.isFinite(value) || value < least) return 'wrong';
  return least >= 1 && !Number.isInteger(value) ? 'wrong' : value;
}

export function readWords(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];
}

/** Empty lists, empty texts and zeros say that there is no such condition. */
export function withConditions(target: TargetEntry, changes: Partial<Conditions>): TargetEntry {
  const { only, ...rest } = target;
  const kept = Object.fromEntries(
    Object.entries({ ...only, ...changes }).filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== '' && value !== 0 && value !== undefined,
    ),
  ) as Conditions;
  return Object.keys(kept).length === 0 ? rest : { ...rest, only: kept };
}
