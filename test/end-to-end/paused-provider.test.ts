/** A provider of `weir.yaml` is paused in the console: new requests skip it in every replica, those in flight finish. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { ConfiguredProviderView } from '../../src/admin/contracts/configuration-contract.ts';
import { errorOf, post } from '../harness/chat.ts';
import { ConsoleClient, codeOf } from '../harness/console-client.ts';
import { type HoldingUpstream, startHoldingUpstream } from '../harness/holding-upstream.ts';
import { needing } from '../harness/needs.ts';
import { startReplicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);

const password = 'a password for the owner';
const env = { WEIR_ADMIN_PASSWORD: password };
const { test } = needing('sqlite');
const { test: replicaTest } = needing('postgres');

async function ownerAt(weir: RunningWeir): Promise<ConsoleClient> {
  const owner = new ConsoleClient(weir);
  expect((await owner.signIn('admin', password)).status).toBe(200);
  return owner;
}

const yamlOf = (first: HoldingUpstream, second: HoldingUpstream) => ({
  providers: {
    first: { kind: 'openai-chat', base_url: first.base, models: ['only-first', 'shared'], key: 'k1' },
    second: { kind: 'openai-chat', base_url: second.base, models: ['shared'], key: 'k2' },
  },
});

const call = (weir: RunningWeir, model: string, headers: Record<string, string> = {}) =>
  post(weir, { model, messages: [{ role: 'user', content: 'Hello' }] }, { headers });

function replyOf(content: string): Response {
  const choices = [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage });
}

async function stateAt(owner: ConsoleClient, name: string): Promise<ConfiguredProviderView | undefined> {
  const { items } = (await owner.get('/providers')).body as { items: readonly ConfiguredProviderView[] };
  return items.find((provider) => provider.name === name);
}

const pause = (owner: ConsoleClient, name: string, paused: boolean) =>
  owner.post(`/providers/${name}/pause`, { paused });

test('pausing skips it at once, survives a restart, and is undone by resuming', async () => {
  const [first, second] = [startHoldingUpstream(), startHoldingUpstream()];
  const weir = await startWeir({ yaml: yamlOf(first, second), env });
  try {
    let owner = await ownerAt(weir);
    const running = call(weir, 'only-first');
    await until(() => first.requests.length === 1, 60_000, 'the request in flight');
    const view = await pause(owner, 'first', true);
    expect(view.body).toMatchObject({ name: 'first', state: 'paused', pausedAt: expect.any(String), locked: true });

    const refused = await call(weir, 'only-first');
    expect(refused.status).toBe(503);
    const error = await errorOf(refused);
    expect([error.code, error.message]).toEqual([
      'provider_unavailable',
      'Every provider of the model only-first is paused by the operator: first.',
    ]);
    const elsewhere = call(weir, 'shared');
    await until(() => second.requests.length === 1, 60_000, 'the other provider');
    second.requests[0]?.answer(replyOf('from the second'));
    expect(await (await elsewhere).text()).toContain('from the second');
    expect(first.requests.length).toBe(1);

    // What was in flight is not touched.
    first.requests[0]?.answer(replyOf('from the first'));
    const finished = await running;
    expect([finished.status, await finished.text()]).toEqual([200, expect.stringContaining('from the first')]);

    await weir.stop();
    await weir.restart();
    owner = await ownerAt(weir);
    expect((await stateAt(owner, 'first'))?.state).toBe('paused');
    expect((await call(weir, 'only-first')).status).toBe(503);

    expect((await pause(owner, 'first', false)).body).toMatchObject({ state: 'serving' });
    const again = call(weir, 'only-first');
    await until(() => first.requests.length === 2, 60_000, 'the resumed provider');
    first.requests[1]?.answer(replyOf('again'));
    expect((await again).status).toBe(200);

    const { items } = (await owner.get('/audit')).body as { items: readonly { action: string; subject: string }[] };
    const own = items.filter(({ subject }) => subject === 'provider:first').map(({ action }) => action);
    expect(own).toEqual(['provider-resume', 'provider-pause']);

    await pause(owner, 'first', true);
    await Promise.all([first.stop(), second.stop()]);
    const doctor = await weir.command('doctor');
    expect(doctor.stdout).toMatch(/provider first.*paused in the console since/);
  } finally {
    await weir.remove();
    await Promise.all([first.stop(), second.stop()]);
  }
});

test('a provider of the console drains instead, one that is not there cannot be paused, and neither can anything else', async () => {
  const weir = await startWeir({ env });
  try {
    const owner = await ownerAt(weir);
    const entry = { kind: 'openai-chat', base_url: 'http://127.0.0.1:9/v1', models: ['m'] };
    await owner.post('/providers', { name: 'mine', entry, keys: [{ value: 'sk-4f81c07be2d94a6f' }] });
    const own = await pause(owner, 'mine', true);
    expect([own.status, codeOf(own)]).toEqual([400, 'field_invalid']);
    const absent = await pause(owner, 'absent', true);
    expect([absent.status, codeOf(absent)]).toEqual([404, 'not_found']);
    expect((await owner.post('/providers/sandbox/pause', { paused: 'yes' })).status).toBe(400);
    expect((await pause(owner, 'sandbox', true)).body).toMatchObject({ state: 'paused' });
    expect((await call(weir, 'sandbox-chat')).status).toBe(503);
    expect((await pause(owner, 'sandbox', false)).body).toMatchObject({ state: 'serving' });
    expect((await call(weir, 'sandbox-chat')).status).toBe(200);
  } finally {
    await weir.remove();
  }
});

test('a base URL without its scheme is answered with what to add', async () => {
  const weir = await startWeir({ env });
  try {
    const owner = await ownerAt(weir);
    const entry = { kind: 'openai-chat', base_url: '127.0.0.1:24090/v1', models: ['m'] };
    const reply = await owner.post('/providers', { name: 'mine', entry, keys: [{ value: 'sk-4f81c07be2d94a6f' }] });
    expect(reply.body).toMatchObject({
      error: { param: 'entry.base_url', message: 'entry.base_url: Add http:// or https:// in front.' },
    });
  } finally {
    await weir.remove();
  }
});

replicaTest('every replica follows', async () => {
  const [first, second] = [startHoldingUpstream(), startHoldingUpstream()];
  const replicas = await startReplicas(2, { yaml: yamlOf(first, second), env });
  try {
    const [here, there] = [await ownerAt(replicas.at(0)), await ownerAt(replicas.at(1))];
    await pause(here, 'first', true);
    await until(async () => (await stateAt(there, 'first'))?.state === 'paused', 60_000, 'the other replica');
    expect((await call(replicas.at(1), 'only-first')).status).toBe(503);
    await pause(there, 'first', false);
    await until(async () => (await stateAt(here, 'first'))?.state === 'serving', 60_000, 'the first replica');
  } finally {
    await replicas.remove();
    await Promise.all([first.stop(), second.stop()]);
  }
});
