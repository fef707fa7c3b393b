/**
 * Settings as the console shows and changes them: live ones take effect at once, here and, through the
 * store, in every replica.
 */

import { z } from 'zod';
import type { LiveSetting, LiveSettings } from '../../config/live-settings.ts';
import { shownValue } from '../../config/readers/read-scalars.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ConsoleSettingStore } from '../../store/configuration/console-settings.ts';
import type { Audit, AuditEntry } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { HomeTextView, SettingDetailView } from '../contracts/settings-contract.ts';
import { checked, withoutAbsent } from '../tokens/token-terms.ts';

interface SettingsOptions {
  readonly live: LiveSettings;
  readonly table: ConsoleSettingStore;
  readonly revision: () => Promise<number>;
  readonly audit: Audit;
}

export interface SettingsAdmin {
  list(): readonly SettingDetailView[];
  /** All of the changes or none; answers with the settings that were named. */
  change(actor: Actor, input: unknown): Promise<readonly SettingDetailView[]>;
  home(): HomeTextView;
  changeHome(actor: Actor, input: unknown): Promise<HomeTextView>;
  /** Loads the settings in the store; before the port opens, and whenever they may have changed. */
  load(): Promise<void>;
  /** Loads again if anything changed since the last check. Called about twice a second. */
  poll(): Promise<void>;
}

export const settingChangesSchema = z.strictObject({
  values: z.record(z.string(), z.unknown(), 'must be an object of settings and values'),
});
const homeText = z.string('must be text, or null for the default').nullable().optional();
export const homeSchema = z.strictObject({
  shown: z.boolean('must be true or false').optional(),
  title: homeText,
  text: homeText,
  /** A page may send back the value that it got; it changes nothing. */
  locked: z.boolean().optional(),
});
const homeKeys = ['home.shown', 'home.title', 'home.text'] as const;
const shownLengthMax = 200;

export function createSettingsAdmin({ live, table, revision, audit }: SettingsOptions): SettingsAdmin {
  let seen: number | undefined;
  let loading: Promise<void> = Promise.resolve();

  /** One at a time: an older load must not overwrite a newer one. */
  const load = (): Promise<void> => {
    const next = async (): Promise<void> => {
      const at = await revision();
      live.take(await table.all());
      seen = at;
    };
    loading = loading.then(next, next);
    return loading;
  };

  async function write(actor: Actor, values: ReadonlyMap<string, unknown>): Promise<void> {
    if (values.size === 0) return;
    await table.change(values);
    await load();
    await audit.write(actor, { action: 'settings-change', subject: 'settings', detail: detailOf(values) });
  }

  const home = (): HomeTextView => {
    const { shown, title, text } = live.config.home;
    const locked = homeKeys.some((key) => live.find(key)?.change === 'locked');
    return withoutAbsent<HomeTextView>({ shown, title, text, locked });
  };

  return {
    list: () => live.list().map(view),
    async change(actor, input) {
      const { values } = checked(settingChangesSchema, input);
      const changes = new Map(Object.entries(values).map(([key, value]) => [key, allowedValue(live, key, value)]));
      await write(actor, changes);
      return live
        .list()
        .filter(({ key }) => changes.has(key))
        .map(view);
    },
    home,
    async changeHome(actor, input) {
      const { locked: _, ...fields } = checked(homeSchema, input);
      const changes = new Map<string, unknown>();
      for (const [field, value] of Object.entries(fields)) {
        // An emptied field means no value.
        const given = typeof value === 'string' && value.trim() === '' ? null : value;
        if (given !== undefined) changes.set(`home.${field}`, allowedValue(live, `home.${field}`, given, field));
      }
      await write(actor, changes);
      return home();
    },
    load,
    async poll() {
      if ((await revision()) !== seen) await load();
    },
  };
}

function view({ key, variable, origin, shown, value, change, row }: LiveSetting): SettingDetailView {
  const { unit, meaning, kind } = row;
  return withoutAbsent<SettingDetailView>({
    key,
    variable,
    origin,
    shown,
    value,
    defaultShown: shownValue(row, row.default).shown,
    unit,
    meaning,
    allowed: kind.allowed,
    control: kind.control,
    change,
  });
}

/** The value to write; undefined where the console's value is removed. */
function allowedValue(live: LiveSettings, key: string, value: unknown, param = key): unknown {
  const invalid = (why: string): GatewayError => new GatewayError('field_invalid', `${param}: ${why}`, { param });
  const setting = live.find(key);
  if (setting === undefined) throw invalid('is not a setting');
  const { change, origin, row, lockedBy } = setting;
  if (lockedBy !== undefined) {
    throw invalid(`says where ${lockedBy} is sent; set it beside that, in weir.yaml or the environment`);
  }
  if (change === 'locked') {
    throw invalid(`is set by ${origin === 'file' ? 'weir.yaml' : `the variable ${row.variable}`}; change it there`);
  }
  if (change === 'start') throw invalid('requires a restart; set it in weir.yaml or the environment');
  if (value === null) return undefined;
  const result = row.kind.schema.safeParse(value);
  if (!result.success) throw invalid(`must be ${row.kind.allowed}`);
  return result.data;
}

/** The new value, shortened to one line; `default` where a value was removed. */
function detailOf(values: ReadonlyMap<string, unknown>): NonNullable<AuditEntry['detail']> {
  const shown = (value: unknown) => {
    if (value === undefined) return 'default';
    if (typeof value === 'number' || typeof value === 'boolean') return value;
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
  };
  return Object.fromEntries(Array.from(values, ([key, value]) => [key, shown(value)]));
}
