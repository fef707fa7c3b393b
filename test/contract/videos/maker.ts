/** A maker of videos that a test directs question by question: what it says, and where its files lie. */

import { plainKey, id as stageId } from './stage.ts';

export interface MakerTask {
  readonly id: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** When each question came, on the clock of `performance.now()`. */
  readonly asked: number[];
  cancelled: boolean;
}

/** The answer to one question about one task; a tree is answered with status 200. */
export type Say = (task: MakerTask, question: number) => Response | object;

export interface Maker {
  readonly url: string;
  readonly tasks: Map<string, MakerTask>;
  say: Say;
  /** Instead of taking an order. */
  take: ((body: MakerTask['body']) => Response | undefined) | undefined;
  /** The keys that it still knows. */
  readonly keys: Set<string>;
  task(id: string): MakerTask;
  last(): MakerTask;
  stop(): void;
}

export const pending = { status: 'PENDING' };
export const running = { status: 'RUNNING', progress: 0.4 };
export const failed = { status: 'FAILED', failure: 'It broke.', failureCode: 'INTERNAL' };
export const doneAt = (url: string): object => ({ status: 'SUCCEEDED', output: [url] });

/** On the wire with one list of tasks, which leaves files elsewhere and can be stopped. */
export function startMaker(say: Say): Maker {
  const tasks = new Map<string, MakerTask>();
  let counted = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const key = (request.headers.get('authorization') ?? '').replace('Bearer ', '');
      if (!maker.keys.has(key)) return Response.json({ error: 'Unauthorized' }, { status: 401 });
      if (request.method === 'POST') {
        const body = (await request.json()) as MakerTask['body'];
        const refusal = maker.take?.(body);
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
      const said = task.cancelled ? { status: 'CANCELLED' } : maker.say(task, task.asked.length);
      return said instanceof Response ? said : Response.json({ id: task.id, ...said });
    },
  });
  const maker: Maker = {
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
  return maker;
}

export function providerAt(maker: Pick<Maker, 'url'>, more: object = {}): object {
  return { kind: 'runway', base_url: `${maker.url}/v1`, key: plainKey, models: ['gen4_turbo'], ...more };
}
