/** The sandbox costs nothing until it is used: its code is loaded with the first call, its models are listed before. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { weirBySource } from '../harness/program.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const root = join(import.meta.dir, '../../src/sandbox');
const reply = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'real-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'real', refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const upstream = Bun.serve({ port: 0, fetch: () => Response.json(reply) });
const record = join(tmpdir(), `weir-test-loaded-${crypto.randomUUID()}`);

let weir: RunningWeir;
beforeAll(async () => {
  const base = { kind: 'openai-chat', base_url: `http://127.0.0.1:${upstream.port}/v1`, models: ['real-model'] };
  weir = await startWeir({
    program: weirBySource,
    yaml: { providers: { real: base } },
    env: { BUN_OPTIONS: `--preload ${join(import.meta.dir, '../harness/record-modules.ts')}`, LOADED_MODULES: record },
  });
});
afterAll(async () => {
  await weir?.remove();
  await upstream.stop(true);
  if (existsSync(record)) await Bun.file(record).delete();
});

/** Paths below src/sandbox. */
function loaded(): string[] {
  return existsSync(record)
    ? readFileSync(record, 'utf8')
        .trim()
        .split('\n')
        .map((path) => relative(root, path))
    : [];
}

async function ask(model: string): Promise<string> {
  const answer = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const { choices } = (await answer.json()) as typeof reply;
  return choices[0]?.message.content ?? '';
}

test('starting, listing models and a request to another provider load its data only', async () => {
  const list = await fetch(`${weir.base}/models`, { headers: { authorization: `Bearer ${weir.token}` } });
  expect(await list.text()).toContain('"sandbox-chat"');
  expect(await ask('real-model')).toBe('real');
  expect(loaded().sort()).toEqual(['models.ts', 'preset.ts', 'provider.ts']);
});

test('the first sandbox call loads what it needs', async () => {
  expect(await ask('sandbox-chat')).toContain('sandbox');
  expect(loaded()).toContain('transport/transport.ts');
  expect(loaded()).toContain('chat/converse.ts');
  expect(loaded().filter((path) => /^(?:images|video|speech|realtime|operations)\//.test(path))).toEqual([]);
});
