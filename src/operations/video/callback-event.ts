/** The event for a caller's `callback_url` when a task has ended: written once, so that every delivery is the same. */

import { defined } from '../../conversation/json-tree.ts';
import { type ShownTask, type TaskObject, type TaskShowing, taskObject } from './task-object.ts';

interface CallbackEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: 'video.completed' | 'video.failed';
  /** Unix seconds. */
  readonly created_at: number;
  readonly data: TaskObject & { readonly id: string };
  /** The caller's own metadata, by which it recognizes the task. */
  readonly metadata?: Readonly<Record<string, string>>;
}

interface EventMaking extends TaskShowing {
  readonly nowMs: number;
  newId(prefix: string): string;
}

/** Of a task that has ended. */
export function callbackEvent(task: ShownTask, making: EventMaking): CallbackEvent {
  return {
    id: making.newId('evt_'),
    object: 'event',
    type: task.state === 'completed' ? 'video.completed' : 'video.failed',
    created_at: Math.floor(making.nowMs / 1_000),
    data: { ...taskObject(task, making), id: task.id },
    ...defined('metadata', task.requested.metadata),
  };
}
