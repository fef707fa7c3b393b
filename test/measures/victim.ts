/**
 * Who is served beside an attack, and the provider that answers them: a process of its own. Beside the attacker their requests
 * would wait for its texts of megabytes, and what the gateway does meanwhile would count as if it had kept them waiting.
 */

import { readFileSync } from 'node:fs';
import { post } from '../harness/chat.ts';

export type ToVictim = { readonly base: string; readonly token: string; readonly pid: number } | 'stop';

export interface Served {
  /** Of each request: the main thread's processor time between it and its answer. */
  readonly holdsMs: readonly number[];
  readonly waitsMs: readonly number[];
}

export type FromVictim = { readonly port: number } | 'begun' | Served;

const reply = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok', refusal: null } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
export const victimModel = 'gpt-4o';
const body = JSON.stringify({ model: victimModel, messages: [{ role: 'user', content: 'hi' }] });

/** Processor time of the thread that serves all requests, to the nanosecond. */
export function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

if (import.meta.main) serve();

function serve(): void {
  const provider = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(reply) });
  let isAsking = false;
  const tell = (message: FromVictim): void => void process.send?.(message);
  process.on('message', (message: ToVictim) => {
    if (message === 'stop') isAsking = false;
    else {
      isAsking = true;
      void ask(message);
    }
  });
  tell({ port: provider.port ?? 0 });

  async function ask({ pid, ...caller }: Exclude<ToVictim, 'stop'>): Promise<void> {
    const holdsMs: number[] = [];
    const waitsMs: number[] = [];
    do {
      const [startedMs, startedAt] = [mainThreadMs(pid), performance.now()];
      await (await post(caller, body)).arrayBuffer();
      holdsMs.push(mainThreadMs(pid) - startedMs);
      waitsMs.push(performance.now() - startedAt);
      if (holdsMs.length === 1) tell('begun');
    } while (isAsking);
    tell({ holdsMs, waitsMs });
  }
}
