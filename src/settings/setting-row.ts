/** What one row of the settings table says, and the few shapes that most rows have. */

import { integer, type ValueKind } from './values.ts';

export interface SettingRow<T> {
  readonly kind: ValueKind<NonNullable<T>>;
  readonly variable: string;
  readonly default: T;
  readonly unit: string;
  readonly meaning: string;
  /** The value is never shown, only whether there is one. */
  readonly secret?: boolean;
  /** An address that may carry a password; shown without it. */
  readonly hasPassword?: boolean;
  /** Only a variable sets it: a secret does not belong in a file that people commit. */
  readonly variableOnly?: boolean;
}

interface RowWords {
  readonly unit?: string;
  readonly meaning: string;
  readonly variable: string;
  readonly secret?: boolean;
  readonly hasPassword?: boolean;
  readonly variableOnly?: boolean;
}

export function row<T>(kind: ValueKind<T>, fallback: T, words: RowWords): SettingRow<T> {
  return { kind: kind as ValueKind<NonNullable<T>>, default: fallback, unit: '', ...words };
}

export function optional<T>(kind: ValueKind<T>, words: RowWords): SettingRow<T | undefined> {
  return { kind: kind as ValueKind<NonNullable<T>>, default: undefined, unit: '', ...words };
}

export const bytes = (variable: string, fallback: number, meaning: string) =>
  row(integer(1, 2_147_483_647), fallback, { variable, unit: 'bytes', meaning });

/** What a disk holds, not what memory does. */
export const largeBytes = (variable: string, fallback: number, meaning: string) =>
  row(integer(1, 1_000_000_000_000_000), fallback, { variable, unit: 'bytes', meaning });

/** The longest clock is a week: timers overflow at 24.8 days. */
export const clock = (variable: string, fallback: number, meaning: string, min = 1) =>
  row(integer(min, 604_800_000), fallback, { variable, unit: 'ms', meaning });

export const count = (variable: string, fallback: number, max: number, meaning: string) =>
  row(integer(1, max), fallback, { variable, meaning });
