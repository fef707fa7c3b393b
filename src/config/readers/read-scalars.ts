/** Gives every single-valued setting its value: environment before file before default, and remembers which it was. */

import type { Setting } from '../../settings/config.ts';
import { type SettingKey, type SettingValues, settingList } from '../../settings/settings.ts';
import { nearestName } from '../nearest-name.ts';
import { hidden, type Problem, showFound, withoutUrlSecrets } from '../problem.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Row = (typeof settingList)[number];

interface Chosen {
  readonly value: unknown;
  readonly origin: Setting['origin'];
}

export interface ReadScalars {
  readonly values: SettingValues;
  readonly settings: readonly Setting[];
  readonly problems: readonly Problem[];
}

export function readScalars(
  environment: Environment,
  fromFile: ReadonlyMap<string, unknown>,
  defaults: Partial<SettingValues>,
): ReadScalars {
  const values: Partial<Record<SettingKey, unknown>> = {};
  const settings: Setting[] = [];
  const problems: Problem[] = unknownVariables(environment);
  for (const row of settingList) {
    const fromEnvironment = readVariable(row, environment);
    if (fromEnvironment.problem !== undefined) problems.push(fromEnvironment.problem);
    const chosen = choose(row, fromEnvironment.value, fromFile, defaults);
    values[row.key] = chosen.value;
    settings.push({ key: row.key, variable: row.variable, origin: chosen.origin, ...shownValue(row, chosen.value) });
  }
  // Every row was just given a value that its own schema or its own default made.
  return { values: values as SettingValues, settings, problems };
}

/** An empty variable counts as not set: that is what `NAME=` in a compose file or a shell means. */
export function variableValue(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}

function choose(
  row: Row,
  fromEnvironment: unknown,
  fromFile: ReadonlyMap<string, unknown>,
  defaults: Partial<SettingValues>,
): Chosen {
  if (fromEnvironment !== undefined) return { value: fromEnvironment, origin: 'environment' };
  if (fromFile.has(row.key)) return { value: fromFile.get(row.key), origin: 'file' };
  return { value: defaults[row.key] ?? row.default, origin: 'default' };
}

function readVariable(row: Row, environment: Environment): { value?: unknown; problem?: Problem } {
  const text = row.secret === true ? secretValue(environment, row.variable) : variableValue(environment, row.variable);
  if (text === undefined) return {};
  const result = row.kind.schema.safeParse(row.kind.fromText(text));
  if (result.success) return { value: result.data };
  const found = row.secret === true ? hidden : showFound(text);
  const key = row.variableOnly === true ? row.variable : row.key;
  return { problem: { key, source: row.variable, found, allowed: row.kind.allowed } };
}

/** A secret is taken as it is: a space at its end may belong to it. */
function secretValue(environment: Environment, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

const slipDistanceMax = 2;

/** A near miss of a known name is refused. Other names that begin with `WEIR_` belong to scripts, clients and tests. */
function unknownVariables(environment: Environment): Problem[] {
  const known = new Set(settingList.map((row) => row.variable));
  return Object.keys(environment)
    .filter((name) => name.startsWith('WEIR_') && environment[name] !== undefined && !known.has(name))
    .sort()
    .flatMap((name) => {
      const suggestion = nearestName(name, known, slipDistanceMax);
      if (suggestion === undefined) return [];
      const allowed = 'the variables of docs/configuration.md';
      return [{ key: name, source: name, found: 'an unknown variable', allowed, suggestion }];
    });
}

/** A value as people read it, and itself where nothing in it is secret. */
export function shownValue(row: Row, value: unknown): Pick<Setting, 'shown' | 'value'> {
  const isOpen = row.secret !== true && row.hasPassword !== true && value !== undefined;
  return { shown: show(row, value), ...(isOpen && { value }) };
}

function show(row: Row, value: unknown): string {
  if (row.secret === true) return value === undefined ? 'not set' : 'set';
  if (value === undefined) return 'not set';
  const plain = (one: unknown) => (row.hasPassword === true ? withoutUrlSecrets(String(one)) : String(one));
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ');
  return plain(value);
}
