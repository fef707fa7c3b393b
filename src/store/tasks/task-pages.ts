/** Video tasks of all tokens, for the console. */

import type { Task } from '../../tasks/task.ts';
import type { Driver } from '../sql/driver.ts';
import { type Page, type PageRequest, pageOf } from '../sql/pages.ts';
import { taskRecord } from './task-methods.ts';
import { pageTasks, type TaskFilter } from './task-page-queries.ts';

export type { TaskFilter } from './task-page-queries.ts';

export interface PagedTask {
  readonly task: Task;
  /** Absent until its attempt is settled. */
  readonly costNano: bigint | undefined;
}

export interface TaskPageStore {
  /** Newest first, the deleted ones too. */
  list(filter: TaskFilter, page: PageRequest): Promise<Page<PagedTask>>;
}

export function taskPageStore(driver: Driver): TaskPageStore {
  return {
    async list(filter, { limit, after }) {
      const rows = await driver.run(pageTasks, filter, { limit: limit + 1, after });
      const items = rows.map(
        ({ task, costNano }): PagedTask => ({
          task: taskRecord(task),
          costNano: costNano === null ? undefined : BigInt(costNano),
        }),
      );
      return pageOf(items, limit, ({ task }) => ({ atMs: task.createdAtMs, id: task.id }));
    },
  };
}
