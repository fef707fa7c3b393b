/** Weir as a process of its own that orders videos from scripted providers, polls often and is tested from outside. */

import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { keptDatabase } from '../../harness/kept-database.ts';
import { readLedger, type UsageRow, usageRowOf } from '../../harness/ledger-rows.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';
import type { Tree } from '../operations/scripted.ts';

/** A task as the specification has it. */
export interface TaskBody {
  readonly task_id: string;
  readonly status: string;
  readonly url?: string;
  readonly urls?: readonly string[];
  readonly format?: string;
  readonly metadata?: Tree;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface TaskRow {
  readonly id: string;
  readonly state: string;
  readonly guessed: number;
  readonly asked: number;
  readonly faults: number;
  readonly ticket: string | null;
  readonly request_id: string;
  readonly attempt_id: string;
}

export interface CallbackRow {
  readonly task_id: string;
  readonly tries: number;
  /** 1 while a delivery is in flight. */
  readonly leased: number;
}

export interface VideoBench {
  readonly weir: RunningWeir;
  /** `path` is below `/v1`. */
  call(method: string, path: string, init?: { body?: unknown; headers?: Tree; token?: string }): Promise<Response>;
  order(body: Tree, headers?: Tree): Promise<Response>;
  /** Orders, and the id of what was ordered. */
  ordered(body: Tree, headers?: Tree): Promise<{ readonly id: string; readonly reply: Response }>;
  get(id: string): Promise<TaskBody>;
  /** The task once it has this state; another end is a failure. */
  becomes(id: string, state: string, boundMs?: number): Promise<TaskBody>;
  task(id: string): TaskRow | undefined;
  tasks(): TaskRow[];
  /** Callbacks that are still to be delivered, by task. */
  callbacks(): CallbackRow[];
  /** What was written about its money, once it was. */
  charged(id: string): Promise<UsageRow>;
  usageOf(requestId: string | null): Promise<UsageRow>;
  /** What the token has spent and what is held. */
  budget(): Promise<{ readonly spentNano: bigint; readonly heldNano: bigint }>;
}

export const perSecondNano = 100_000_000n;
export const prices = { '*': { video_second: 0.1 } };

export const quick = {
  WEIR_TASKS_ASK_EVERY_MS: '50',
  WEIR_TASKS_LEASE_MS: '2000',
  WEIR_EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEIR_LOG_LEVEL: 'error',
};

export async function startVideoBench(
  yaml: object,
  env: Readonly<Record<string, string>> = {},
  more: { readonly dataFolder?: string; readonly token?: string } = {},
): Promise<VideoBench> {
  const weir = await startWeir({ yaml: { prices, ...yaml }, env: { ...quick, ...env }, ...more });
  const { remove } = weir;
  weir.remove = async () => {
    started.delete(weir);
    await remove();
  };
  started.add(weir);
  return benchOf(weir);
}

const started = new Set<RunningWeir>();

/** Those that a failed test left running. */
export async function removeBenches(): Promise<void> {
  for (const weir of [...started]) await weir.remove();
}

/** Every task reaches this time of it now: a test need not wait, and what has to happen before is not limited by it. */
export function passNow({ weir }: VideoBench, column: 'deadline_at_ms' | 'expires_at_ms'): void {
  const database = new Database(join(weir.dataFolder, 'weir.db'));
  database.run('PRAGMA busy_timeout = 60000');
  try {
    database.run('PRAGMA busy_timeout = 60000');
    database.run(`UPDATE tasks SET ${column} = ?`, [Date.now()]);
  } finally {
    database.close();
  }
}

function benchOf(weir: RunningWeir): VideoBench {
  const columns = 'id, state, guessed, asked, faults, ticket, request_id, attempt_id';
  const stateOf = (id: string): string | undefined =>
    keptDatabase(weir).query<{ state: string }, [string]>('SELECT state FROM tasks WHERE id = ?').get(id)?.state;
  const bench: VideoBench = {
    weir,
    call(method, path, { body, headers, token = weir.token } = {}) {
      const isForm = body instanceof FormData;
      return fetch(`${weir.base}${path}`, {
        method,
        headers: {
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
          ...(headers as Record<string, string>),
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
    },
    order: (body, headers = {}) => bench.call('POST', '/video/generations', { body, headers }),
    async ordered(body, headers) {
      const reply = await bench.order(body, headers);
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
      return { id: (JSON.parse(text) as TaskBody).task_id, reply };
    },
    async get(id) {
      const reply = await bench.call('GET', `/video/generations/${id}`);
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
      return JSON.parse(text) as TaskBody;
    },
    async becomes(id, state, boundMs = 60_000) {
      let body = await bench.get(id);
      const isOver = async () => {
        if ([state, 'completed', 'failed'].includes(body.status)) return true;
        // Its row is read until it changes, which costs less than a request.
        if (stateOf(id) !== body.status) body = await bench.get(id);
        return false;
      };
      await until(isOver, boundMs, `${id} = ${state}`);
      if (body.status !== state) throw new Error(`${state} was expected: ${JSON.stringify(body)}`);
      return body;
    },
    task: (id) =>
      keptDatabase(weir).query<TaskRow, [string]>(`SELECT ${columns} FROM tasks WHERE id = ?`).get(id) ?? undefined,
    tasks: () => keptDatabase(weir).query<TaskRow, []>(`SELECT ${columns} FROM tasks`).all(),
    callbacks: () =>
      keptDatabase(weir).query<CallbackRow, []>('SELECT task_id, tries, leased FROM task_callbacks').all(),
    charged: (id) => usageRowOf(weir, bench.task(id)?.request_id ?? null),
    usageOf: (requestId) => usageRowOf(weir, requestId),
    async budget() {
      const { budgets } = await readLedger(weir);
      const spentNano = budgets.reduce((sum, { spentNano: one }) => sum + one, 0n);
      return { spentNano, heldNano: budgets.reduce((sum, { heldNano }) => sum + heldNano, 0n) };
    },
  };
  return bench;
}

export const dataUrl = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\npicture', 'latin1').toString('base64')}`;
export const imageBytes = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');
