/** Tasks of all tokens, newest first, each with the cost of its attempt: what the console lists. */

import type { TaskState } from '../../tasks/task.ts';
import { tokensOfUnitsSql, tokensSeenSql } from '../organization/seen-tokens.ts';
import type { PageRequest } from '../sql/pages.ts';
import { longRead } from '../sql/query.ts';
import { asTextOrNull, type SqlValue, type Steps, statementsBy, step } from '../sql/statement.ts';
import { type TaskRow, tasks } from './task-queries.ts';

export interface TaskFilter {
  readonly state?: TaskState | undefined;
  readonly model?: string | undefined;
  readonly tokenId?: string | undefined;
  /** Only tasks that this account may see. */
  readonly seenBy?: string | undefined;
  /** Only tasks of the tokens of this team or project. */
  readonly unitId?: string | undefined;
}

interface PagedTaskRow {
  readonly task: TaskRow;
  /** Nano-USD where its attempt is settled. */
  readonly costNano: string | null;
}

/** By which filters are given, one letter each: the texts are few and each is served by an index of its own. */
const pages = statementsBy((given: string) => {
  let place = 1;
  const next = (): string => `$${++place}`;
  const conditions = [
    ...(given.includes('s') ? [`t.state = ${next()}`] : []),
    ...(given.includes('m') ? [`t.model = ${next()}`] : []),
    ...(given.includes('t') ? [`t.token_id = ${next()}`] : []),
    ...(given.includes('v') ? [`t.token_id IN (${tokensSeenSql(next())})`] : []),
    ...(given.includes('u') ? [`t.token_id IN (${tokensOfUnitsSql([next()])})`] : []),
    ...(given.includes('a') ? [`(t.created_at_ms, t.id) < (${next()}, ${next()})`] : []),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `SELECT ${tasks.listOf('t')}, a.cost_nano FROM tasks t LEFT JOIN attempts a ON a.id = t.attempt_id AND a.state = 'settled'
    ${where} ORDER BY t.created_at_ms DESC, t.id DESC LIMIT $1`;
});

export const pageTasks = longRead(function* (
  filter: TaskFilter,
  { limit, after }: PageRequest,
): Steps<readonly PagedTaskRow[]> {
  const marks: readonly (readonly [string, SqlValue | undefined])[] = [
    ['s', filter.state],
    ['m', filter.model],
    ['t', filter.tokenId],
    ['v', filter.seenBy],
    ['u', filter.unitId],
  ];
  const given = marks.filter(([, value]) => value !== undefined);
  const place = after === undefined ? [] : [after.atMs, after.id];
  const key = given.map(([mark]) => mark).join('') + (after === undefined ? '' : 'a');
  const rows = yield step(pages(key), limit, ...given.map(([, value]) => value ?? null), ...place);
  return rows.map((row) => ({ task: tasks.read(row), costNano: asTextOrNull(row[tasks.width]) }));
});
