/** A kept video that is not in its place says why: it lies at another replica, or had to make room. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Task } from '../task.ts';
import { TaskService, type TaskServiceParts } from './task-service.ts';

const task = { results: [{ kind: 'kept', name: 'a.mp4', mediaType: 'video/mp4', bytes: 3 }] } as unknown as Task;

async function messageOf(bytes: number | undefined, isKnown: boolean): Promise<string> {
  const results = { size: async () => bytes, isKnown: async () => isKnown, open: async () => undefined };
  const taskService = new TaskService({ results } as unknown as TaskServiceParts);
  const opened = await taskService
    .openContent(task, 0, null, new AbortController().signal)
    .catch((error: unknown) => error);
  return opened instanceof GatewayError ? `${opened.status} ${opened.message}` : 'opened';
}

describe('a kept video', () => {
  test('is opened where it is', async () => {
    expect(await messageOf(3, true)).toBe('opened');
  });

  test('that the database knows lies at another replica', async () => {
    expect(await messageOf(undefined, true)).toMatch(
      /^404 The video is in the data folder of another replica.*results\.bucket/,
    );
  });

  test('that the database has forgotten had to make room', async () => {
    expect(await messageOf(undefined, false)).toStartWith('404 The video was deleted early');
  });
});
