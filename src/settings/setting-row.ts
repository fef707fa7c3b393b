/** What one row of the settings table says, and the few shapes that most rows have. */

import { integer, type ValueKind } from './values.ts';

/** What a row may say beside its kind, its default and its meaning. */
interface RowOptions {
  readonly unit?: string;
  /** The variable, where it is not `WEIR_` and the key in capitals. */
  readonly variable?: string;
  /** A change in the console acts at once; otherwise the setting is read at start. */
  readonly live?: boolean;
  /** The value is never shown, only whether there is one. */
  readonly secret?: boolean;
  /**
   * The settings that say where a secret is sent; none where it is sent nowhere. While it is set they are set beside it, in
   * file or environment: otherwise who may change them in the console could read it.
   */
  readonly sentTo?: readonly string[];
  /** A URL that may carry a password; shown without it. */
  readonly hasPassword?: boolean;
  /** Only a variable sets it: a secret does not belong in a file that people commit. */
  readonly variableOnly?: boolean;
  /** What `weir.example.yaml` shows in place of the default. */
  readonly example?: string | number | readonly string[];
}

/** `Place` is the property of the configuration that holds the value, where the key does not give it. */
export interface SettingRow<T, Place extends string | undefined = string | undefined> extends RowOptions {
  readonly kind: ValueKind<NonNullable<T>>;
  readonly default: T;
  readonly unit: string;
  readonly meaning: string;
  readonly place?: Place;
}

interface RowWords<Place> extends RowOptions {
  readonly meaning: string;
  readonly place?: Place;
}

export function row<T, Place extends string | undefined = undefined>(
  kind: ValueKind<T>,
  fallback: T,
  words: RowWords<Place>,
): SettingRow<T, Place> {
  return { kind: kind as ValueKind<NonNullable<T>>, default: fallback, unit: '', ...words };
}

export function optional<T, Place extends string | undefined = undefined>(
  kind: ValueKind<T>,
  words: RowWords<Place>,
): SettingRow<T | undefined, Place> {
  return { kind: kind as ValueKind<NonNullable<T>>, default: undefined, unit: '', ...words };
}

export const bytes = (fallback: number, meaning: string, options: RowOptions = {}) =>
  row(integer(1, 2_147_483_647), fallback, { unit: 'bytes', meaning, ...options });

/** What a disk holds, not what memory does. */
export const largeBytes = (fallback: number, meaning: string, options: RowOptions = {}) =>
  row(integer(1, 1_000_000_000_000_000), fallback, { unit: 'bytes', meaning, ...options });

/** The longest clock is a week: timers overflow at 24.8 days. */
export const clock = (fallback: number, meaning: string, { min = 1, ...options }: RowOptions & { min?: number } = {}) =>
  row(integer(min, 604_800_000), fallback, { unit: 'ms', meaning, ...options });

export const days = (fallback: number, meaning: string, options: RowOptions = {}) =>
  row(integer(1, 3_650), fallback, { unit: 'days', meaning, ...options });

export const count = (fallback: number, max: number, meaning: string, options: RowOptions = {}) =>
  row(integer(1, max), fallback, { meaning, ...options });
