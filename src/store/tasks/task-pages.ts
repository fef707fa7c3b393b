/** Video tasks of everybody, for those who look after all of them. */

import type { Task, TaskState } from '../../tasks/task.ts';
import type { Driver } from '../sql/driver.ts';
import type { Cursor, Page, PageRequest } from '../sql/pages.ts';
import { taskRecord } from './task-forms.ts';

export interface TaskFilter {
  readonly state?: TaskState | undefined;
  readonly model?: string | undefined;
  readonly tokenId?: string | undefined;
  /** Only tasks that tokens of this account ordered. */
  readonly ownerId?: string | undefined;
}

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
    async list({ state, model, tokenId, ownerId }, { limit, after }) {
      const narrowed = [state ?? null, model ?? null, tokenId ?? null, ownerId ?? null] as const;
      const place = [after?.atMs ?? null, after?.id ?? null] as const;
      // One more than was asked for tells whether there are more.
      const rows = await driver.run('pageTasks', [...narrowed, ...place], limit + 1);
      const items = rows.slice(0, limit).map(
        ([cells, cost]): PagedTask => ({
          task: taskRecord(cells),
          costNano: cost === null ? undefined : BigInt(cost),
        }),
      );
      const last = items.at(-1)?.task;
      const next: Cursor | undefined = last && { atMs: last.createdAtMs, id: last.id };
      return { items, next: rows.length > limit ? next : undefined };
    },
  };
}
