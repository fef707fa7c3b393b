/** A video provider that a test directs poll by poll: what it answers, and where its files are. */

import { plainKey, id as stageId } from '../../contract/videos/stage.ts';

export interface PolledTask {
  readonly id: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** When each poll came, on the clock of `performance.now()`. */
  readonly asked: number[];
  cancelled: boolean;
}

/** The answer to one poll of one task; a tree is answered with status 200. */
export type Say = (task: PolledTask, question: number) => Response | object;

export interface PolledProvider {
  readonly url: string;
  readonly tasks: Map<string, PolledTask>;
  say: Say;
  /** Instead of taking an order. */
  take: ((body: PolledTask['body']) => Response | undefined) | undefined;
  /** The keys that it still accepts. */
  readonly keys: Set<string>;
  task(id: string): PolledTask;
  last(): PolledTask;
  stop(): void;
}

export const pending = { status: 'PENDING' };
export const running = { status: 'RUNNING', progress: 0.4 };
export const failed = { status: 'FAILED', failure: 'It broke.', failureCode: 'INTERNAL' };
export const doneAt = (url: string): object => ({ status: 'SUCCEEDED', output: [url] });

/** On the wire with one list of tasks, which leaves files elsewhere and can be stopped. */
export function startPolledProvider(say: Say): PolledProvider {
  const tasks = new Map<string, PolledTask>();
  let counted = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const key = (request.headers.get('authorization') ?? '').replace('Bearer ', '');
      if (!provider.keys.has(key)) return Response.json({ error: 'Unauthorized' }, { status: 401 });
      if (request.method === 'POST') {
        const body = (await request.json()) as PolledTask['body'];
        const refusal = provider.take?.(body);
        if (refusal !== undefined) return refusal;
        const id = `${stageId}-${++counted}`;
        tasks.set(id, { id, path: pathname, body, asked: [], cancelled: false });
        return Response.json({ id });
      }
      const task = tasks.get(pathname.slice('/v1/tasks/'.length));
      if (task === undefined) return Response.json({ error: 'Not found' }, { status: 404 });
      if (request.method === 'DELETE') {
        task.cancelled = true;
        return new Response(null, { status: 204 });
      }
      task.asked.push(performance.now());
      const said = task.cancelled ? { status: 'CANCELLED' } : provider.say(task, task.asked.length);
      return said instanceof Response ? said : Response.json({ id: task.id, ...said });
    },
  });
  const provider: PolledProvider = {
    url: `http://127.0.0.1:${server.port}`,
    tasks,
    say,
    take: undefined,
    keys: new Set([plainKey]),
    task(id) {
      const found = tasks.get(id);
      if (found === undefined) throw new Error(`nothing was ordered as ${id}`);
      return found;
    },
    last() {
      const found = [...tasks.values()].at(-1);
      if (found === undefined) throw new Error('nothing was ordered');
      return found;
    },
    stop: () => void server.stop(true),
  };
  return provider;
}

export function providerAt(provider: Pick<PolledProvider, 'url'>, more: object = {}): object {
  return { kind: 'runway', base_url: `${provider.url}/v1`, key: plainKey, models: ['gen4_turbo'], ...more };
}
