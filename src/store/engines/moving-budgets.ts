/** All writes that may move a budget or end an attempt: those of attempts, and of tasks, which end attempts. */

import * as attempts from '../attempts/attempt-queries.ts';
import * as recoveries from '../attempts/recovered-attempts.ts';
import { isQuery } from '../sql/query.ts';
import * as taskEnds from '../tasks/task-ends.ts';
import * as tasks from '../tasks/task-queries.ts';

export const movingBudgets: ReadonlySet<unknown> = new Set(
  [attempts, recoveries, taskEnds, tasks]
    .flatMap((module) => Object.values<unknown>(module))
    .filter((query) => isQuery(query) && query.kind !== 'read' && query.kind !== 'long-read'),
);

/** Those that open an attempt within its budgets too; their last value is its opening. */
export const openingTasks: ReadonlySet<unknown> = new Set([tasks.createTask, tasks.moveTask]);
