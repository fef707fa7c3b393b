/** The filters of a usage query, as conditions on rows and on the cells that sum them. */

import { tokensOfUnitsSql, tokensSeenSql } from '../organization/seen-tokens.ts';
import { type Money, type SqlValue, type Statement, statementsBy } from '../sql/statement.ts';
import { type CellColumn, type CellView, otherUsers, viewWith } from './cell-views.ts';
import { otherTags, tagPattern } from './tag-sets.ts';

/** Those that cells distinguish, and four that only rows have. */
export type ConditionName =
  | 'token_id'
  | 'owner_id'
  /** What an account sees: its own, and that of the teams it may look into. */
  | 'seen_by'
  | 'team_id'
  | 'project_id'
  | 'end_user'
  /** One of the tags that a request has. */
  | 'tag'
  /** All of them, as a set. */
  | 'tags'
  | 'model'
  | 'provider'
  | 'endpoint'
  | 'key'
  | 'code'
  | 'status_class'
  | 'stream'
  | 'estimated'
  | 'cost_nano_min'
  | 'total_ms_min'
  | 'attempts_min'
  | 'request_id_prefix';

/** A name and the values of which one must hold; none at all holds for no row. */
export type Condition = readonly [name: ConditionName, values: readonly Money[]];
export type Conditions = readonly Condition[];

const ofRowsOnly: readonly ConditionName[] = ['cost_nano_min', 'total_ms_min', 'attempts_min', 'request_id_prefix'];
/** Cells say nothing about them. */
const unknownToCells: readonly ConditionName[] = ['attempts_min', 'request_id_prefix'];
const namesAreText: readonly ConditionName[] = [
  'token_id',
  'owner_id',
  'seen_by',
  'team_id',
  'project_id',
  'end_user',
  'tag',
  'tags',
  'model',
  'provider',
  'endpoint',
  'key',
  'code',
  'request_id_prefix',
];

const isOfTags = (name: ConditionName): boolean => name === 'tag' || name === 'tags';
const namesUser = (names: readonly ConditionName[]): boolean => names.includes('end_user');

/** Can cells alone answer it? `columns` is what is grouped by. */
export function isOfCells(conditions: Conditions, columns: readonly ConditionName[] = []): boolean {
  const names = [...conditions.map(([name]) => name), ...columns];
  return names.every((name) => !ofRowsOnly.includes(name)) && !(namesUser(names) && names.some(isOfTags));
}

export function viewFor(given: readonly ConditionName[]): CellView {
  // No cells distinguish both: those of users narrow a search for rows.
  const names = namesUser(given) ? given.filter((name) => !isOfTags(name)) : given;
  const ofCells = names.filter((name) => !ofRowsOnly.includes(name));
  // Their greatest cost and duration are worth more where they are many.
  if (ofCells.length === 0 && names.some((name) => !unknownToCells.includes(name))) return 'kind';
  return viewWith(ofCells.flatMap(columnsOf));
}

/** What cells must distinguish for a condition or a group. */
function columnsOf(name: ConditionName): readonly CellColumn[] {
  switch (name) {
    case 'owner_id':
    case 'seen_by':
    case 'team_id':
    case 'project_id':
      return ['token_id'];
    case 'key':
      return ['provider', 'key_id'];
    case 'tag':
      return ['tags'];
    case 'cost_nano_min':
    case 'total_ms_min':
    case 'attempts_min':
    case 'request_id_prefix':
      return [];
    default:
      return [name];
  }
}

export const viewOf = (conditions: Conditions): CellView => viewFor(conditions.map(([name]) => name));

const othersOf: Readonly<Partial<Record<ConditionName, string>>> = {
  end_user: otherUsers,
  tag: tagPattern(otherTags),
  tags: tagPattern(otherTags),
};

/** Cells do not name every user and every tag. */
export const hasOthers = (conditions: Conditions): boolean => conditions.some(([name]) => othersOf[name] !== undefined);

/** For a search of periods that can hold something: what is not found by name may be among the others. */
export const withOthers = (conditions: Conditions): Conditions =>
  conditions.map(([name, values]) => {
    const others = othersOf[name];
    return [name, others === undefined ? values : [...values, others]];
  });

/** A key by the provider that it belongs to, because providers number their keys alike; empty where there is none. */
export const keySql = "CASE WHEN COALESCE(key_id, '') = '' THEN '' ELSE provider || '/' || key_id END";

/**
 * The cells of a view, as a condition. Where users are looked for by name it is written so that SQLite, which has no statistics,
 * cannot take the table's key for the better index: a user has few of a period's cells.
 */
export function viewSql(view: CellView, conditions: Conditions): string {
  const ofUsers = conditions.some(([name, values]) => name === 'end_user' && values.every((value) => value !== ''));
  return ofUsers ? `view || '' = '${view}' AND end_user <> ''` : `view = '${view}'`;
}

interface Narrowing {
  /** Begins with AND unless it is empty. */
  readonly and: string;
  readonly values: readonly SqlValue[];
}

/** Places are numbered from `firstPlace`. */
export function narrow(conditions: Conditions, source: 'rows' | 'cells', firstPlace: number): Narrowing {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  const isOfUsers = source === 'cells' && namesUser(conditions.map(([name]) => name));
  for (const [name, given] of conditions) {
    if (isOfUsers && isOfTags(name)) continue;
    if (given.length === 0) {
      parts.push('1 = 0');
      continue;
    }
    const bound = isOneBound(name) ? given.slice(0, 1) : padded(given);
    const places = bound.map((_, at) => `$${firstPlace + values.length + at}`);
    const part = conditionSql(name, source, places);
    if (part === undefined) continue;
    parts.push(part);
    for (const value of bound) values.push(namesAreText.includes(name) ? String(value) : BigInt(value));
  }
  return { and: parts.map((part) => ` AND ${part}`).join(''), values };
}

const isOneBound = (name: ConditionName): boolean => ofRowsOnly.includes(name);

function conditionSql(name: ConditionName, source: 'rows' | 'cells', places: readonly string[]): string | undefined {
  const [first = ''] = places;
  const ofRows = source === 'rows';
  switch (name) {
    case 'cost_nano_min':
      return `${ofRows ? 'cost_nano' : 'cost_nano_max'} >= ${first}`;
    case 'total_ms_min':
      return `${ofRows ? 'total_ms' : 'total_ms_max'} >= ${first}`;
    case 'attempts_min':
      return ofRows ? `attempts >= ${first}` : undefined;
    case 'request_id_prefix': {
      const text = `CAST(${first} AS TEXT)`;
      return ofRows ? `substr(request_id, 1, length(${text})) = ${text}` : undefined;
    }
    case 'owner_id':
      return `token_id IN (SELECT id FROM tokens WHERE owner_id IN (${places.join(', ')}))`;
    case 'seen_by':
      return `token_id IN (${tokensSeenSql(first)})`;
    case 'team_id':
    case 'project_id':
      return `token_id IN (${tokensOfUnitsSql(places)})`;
    case 'tag':
      // Both engines compare letter by letter so; `LIKE` does not.
      return `(${places.map((place) => `replace(tags, CAST(${place} AS TEXT), '') <> tags`).join(' OR ')})`;
    case 'key':
      return `${keySql} IN (${places.join(', ')})`;
    case 'status_class':
      return `${ofRows ? '(status / 100)' : 'status_class'} IN (${places.join(', ')})`;
    default:
      return places.length === 1 ? `${name} = ${first}` : `${name} IN (${places.join(', ')})`;
  }
}

/** Lists have few lengths, because each length is a statement to keep ready. */
export function padded<Value extends Money>(values: readonly Value[]): readonly (Value | '')[] {
  let size = 1;
  while (size < values.length) size *= 4;
  const last = values.at(-1) ?? '';
  return [...values, ...Array.from({ length: size - values.length }, () => last)];
}

/** Keyed by the text itself: there are only as many as there are sets of conditions. */
export const byText: (sql: string) => Statement = statementsBy((sql: string) => sql);
