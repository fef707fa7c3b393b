/** Tasks of everybody, newest first, each with what its attempt cost: what the console lists. */

import { asTextOrNull, type Operation, type SqlValue, statementsBy, step } from '../sql/statement.ts';
import { cellsOf, type TaskCells, taskColumns } from './task-queries.ts';

/** Each narrows the list where it is not null; the last two are the place after which the page begins. */
export type TaskFilterCells = readonly [
  state: string | null,
  model: string | null,
  tokenId: string | null,
  ownerId: string | null,
  afterMs: number | null,
  afterId: string | null,
];

/** The task, and nano-USD where its attempt is settled. */
export type PagedTaskCells = readonly [task: TaskCells, costNano: string | null];

const columns = taskColumns
  .split(', ')
  .map((name) => `t.${name}`)
  .join(', ');

/** By which filters are given, one letter each: the texts are few and each is served by an index of its own. */
const pages = statementsBy((given: string) => {
  let place = 1;
  const next = (): string => `$${++place}`;
  const conditions = [
    ...(given.includes('s') ? [`t.state = ${next()}`] : []),
    ...(given.includes('m') ? [`t.model = ${next()}`] : []),
    ...(given.includes('t') ? [`t.token_id = ${next()}`] : []),
    ...(given.includes('o') ? [`t.token_id IN (SELECT id FROM tokens WHERE owner_id = ${next()})`] : []),
    ...(given.includes('a') ? [`(t.created_at_ms, t.id) < (${next()}, ${next()})`] : []),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `SELECT ${columns}, a.cost_nano FROM tasks t LEFT JOIN attempts a ON a.id = t.attempt_id AND a.state = 'settled'
    ${where} ORDER BY t.created_at_ms DESC, t.id DESC LIMIT $1`;
});

export function* pageTasks(filter: TaskFilterCells, most: number): Operation<readonly PagedTaskCells[]> {
  const [state, model, tokenId, ownerId, afterMs, afterId] = filter;
  const marks: readonly (readonly [string, SqlValue])[] = [
    ['s', state],
    ['m', model],
    ['t', tokenId],
    ['o', ownerId],
  ];
  const given = marks.filter(([, value]) => value !== null);
  const place = afterMs === null ? [] : [afterMs, afterId];
  const key = given.map(([mark]) => mark).join('') + (afterMs === null ? '' : 'a');
  const rows = yield step(pages(key), most, ...given.map(([, value]) => value), ...place);
  return rows.map((row): PagedTaskCells => [cellsOf(row.slice(0, -1)), asTextOrNull(row.at(-1))]);
}
