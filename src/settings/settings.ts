/**
 * Every single-valued setting in one table: its key, its default, its unit and its meaning. The configuration's type and its
 * value, the variables, the file's schema, `weir doctor`, the console's settings, the table of `docs/configuration.md` and
 * `weir.example.yaml` all follow from these rows: `clocks.keep_alive_ms` is `config.clocks.keepAliveMs` and
 * `WEIR_CLOCKS_KEEP_ALIVE_MS`.
 */

import { adminKeyRows } from './admin-key-settings.ts';
import { alertRows } from './alert-settings.ts';
import { limitRows } from './limit-settings.ts';
import { priceRows } from './price-settings.ts';
import { scimRows } from './scim-settings.ts';
import { serverRows } from './server-settings.ts';
import type { SettingRow } from './setting-row.ts';
import { signInRows } from './sign-in-settings.ts';
import { storageRows } from './storage-settings.ts';
import { taskRows } from './task-settings.ts';
import { telemetryRows } from './telemetry-settings.ts';
import { tokenRows } from './token-settings.ts';
import { usageRows } from './usage-settings.ts';

const settingRows = {
  ...serverRows,
  ...limitRows,
  ...tokenRows,
  ...signInRows,
  ...adminKeyRows,
  ...scimRows,
  ...priceRows,
  ...storageRows,
  ...taskRows,
  ...telemetryRows,
  ...usageRows,
  ...alertRows,
} as const;

export type SettingKey = keyof typeof settingRows;

type ValueOf<Row> = Row extends SettingRow<infer T> ? T : never;
export type SettingValues = { readonly [Key in SettingKey]: ValueOf<(typeof settingRows)[Key]> };

type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;

/** `section.property` of a key, or the property alone for a key without a section. */
type PlaceOf<Key extends SettingKey> = (typeof settingRows)[Key] extends { readonly place?: infer Place extends string }
  ? Place
  : Key extends `${infer Section}.${infer Name}`
    ? `${Camel<Section>}.${Camel<Name>}`
    : Camel<Key>;
type KeyAt = { readonly [Key in SettingKey as PlaceOf<Key>]: Key };
type SectionName = keyof KeyAt extends infer Place ? (Place extends `${infer Name}.${string}` ? Name : never) : never;

/** The part of the configuration that the rows alone give. */
export type SettingSections = {
  readonly [Name in SectionName]: {
    readonly [Place in keyof KeyAt as Place extends `${Name}.${infer Property}`
      ? Property
      : never]: SettingValues[KeyAt[Place]];
  };
} & {
  readonly [Place in keyof KeyAt as Place extends `${string}.${string}` ? never : Place]: SettingValues[KeyAt[Place]];
};

/** A row with its types forgotten, for code that treats all alike. */
export interface SettingEntry extends SettingRow<unknown> {
  readonly key: SettingKey;
  readonly variable: string;
  /** Where the configuration holds its value: section and property, or the property alone. */
  readonly path: readonly string[];
}

export const settingList: readonly SettingEntry[] = Object.entries(
  settingRows as Readonly<Record<string, SettingRow<unknown>>>,
).map(([key, settingRow]) => ({
  ...settingRow,
  key: key as SettingKey,
  variable: settingRow.variable ?? `WEIR_${key.replaceAll('.', '_').toUpperCase()}`,
  path: (settingRow.place ?? key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())).split('.'),
}));

/** The values where the configuration holds them. */
export function settingSections(values: SettingValues): SettingSections {
  const sections: Record<string, unknown> = {};
  for (const { key, path } of settingList) {
    const [name = '', property] = path;
    if (property === undefined) sections[name] = values[key];
    else sections[name] = { ...(sections[name] as object | undefined), [property]: values[key] };
  }
  // Both the type and this loop read the same rows.
  return sections as unknown as SettingSections;
}
