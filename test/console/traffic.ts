/** Requests of every kind through a running gateway: those that succeed, that fail, that cost, and one that another provider had to take over. */

import { post, type Target } from '../harness/chat.ts';
import type { ConsoleClient } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** What the request that is taken over uses, and what that costs at the prices below. */
export const takenOver = { inputTokens: 1_000, outputTokens: 200, costUsd: '0.004' } as const;

export interface Stage {
  readonly weir: RunningWeir;
  readonly upstream: RunningUpstream;
  remove(): Promise<void>;
}

/** Nobody answers for `first-choice`; `second-choice` does, and costs something. */
export async function startStage(): Promise<Stage> {
  const upstream = await startUpstream();
  const provider = (base_url: string, id: string) => ({
    kind: 'openai',
    base_url,
    keys: [{ id, key: `sk-${id}` }],
    models: ['gpt-4.1'],
  });
  const yaml = {
    providers: {
      'first-choice': provider('http://127.0.0.1:1/v1', 'first-key'),
      'second-choice': provider(upstream.base, 'second-key'),
    },
    models: {
      'house-model': {
        targets: [
          { provider: 'first-choice', model: 'gpt-4.1', tier: 0 },
          { provider: 'second-choice', model: 'gpt-4.1', tier: 1 },
        ],
      },
    },
    prices: { 'second-choice/gpt-4.1': { input: 2, output: 10 } },
    clocks: { patience_ms: 0 },
    content_storage: { requests: true },
  };
  const weir = await startWeir({ yaml, env: { WEIR_TASKS_ASK_EVERY_MS: '100' } });
  return {
    weir,
    upstream,
    async remove() {
      await weir.remove();
      await upstream.stop();
    },
  };
}

/** Sends it and waits for its whole reply; gives back its id. */
export async function send(target: Target, model: string, fields: object = {}): Promise<string> {
  const sent = await post(target, { model, messages: [{ role: 'user', content: 'Good day' }], ...fields });
  await sent.text();
  return sent.headers.get('x-request-id') ?? '';
}

export async function sendTakenOver({ weir, upstream }: Stage): Promise<string> {
  const { inputTokens, outputTokens } = takenOver;
  const body = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Good day to you', refusal: null }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
  };
  await upstream.queue([{ contentType: 'application/json', body: JSON.stringify(body) }]);
  return send(weir, 'house-model');
}

/** Waits until the gateway knows of so many requests; rows are written a moment after their replies. */
export async function untilCounted(client: ConsoleClient, requests: number): Promise<void> {
  const isThere = async () => {
    const { body } = await client.get('/usage/count');
    return (body as { requests: number }).requests === requests;
  };
  await until(isThere, 60_000, `${requests} requests in the list`);
}

/** A short video of the sandbox, once it is made; gives back the task's id. */
export async function makeVideo({ base, token }: Target): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const wish = { model: 'sandbox-video', prompt: 'a red boat on the sea', seconds: '1', size: '320x180' };
  const made = await fetch(`${base}/videos`, { method: 'POST', headers, body: JSON.stringify(wish) });
  const { id } = (await made.json()) as { id: string };
  const isMade = async () => {
    const task = (await (await fetch(`${base}/videos/${id}`, { headers })).json()) as { status: string };
    return task.status === 'completed';
  };
  await until(isMade, 60_000, 'the video is made');
  return id;
}
