/** Three replicas on PostgreSQL: an alert is delivered once for each window, also when the replica that began it is killed. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { AlertView, IssuedChannelView } from '../../../src/admin/contracts/alert-contract.ts';
import { type HookReceiver, startHooks } from '../../harness/alert-receivers.ts';
import { post, scripted } from '../../harness/chat.ts';
import { ConsoleClient } from '../../harness/console-client.ts';
import { ownerName, ownerOf, passwordOf } from '../../harness/console-session.ts';
import { needing } from '../../harness/needs.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { until } from '../../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../../harness/upstream.ts';

setDefaultTimeout(600_000);

const { afterAll, beforeAll, describe, test } = needing('postgres');

describe('alerts of three replicas', () => {
  let replicas: Replicas;
  let upstream: RunningUpstream;
  let hooks: HookReceiver;
  let owner: ConsoleClient;

  beforeAll(async () => {
    hooks = startHooks();
    upstream = await startUpstream();
    replicas = await startReplicas(3, {
      yaml: {
        providers: { open: { kind: 'openai', base_url: upstream.base, keys: ['sk-any'], models: ['gpt-4.1'] } },
        prices: { 'open/gpt-4.1': { input: 1_000, output: 1_000 } },
        alerts: { poll_ms: 150, retry_ms: 100 },
        egress: { allowed_networks: ['127.0.0.1/32'] },
      },
    });
    owner = await ownerOf(replicas.at(0));
    const made = (await owner.post('/alert-channels', { kind: 'webhook', name: 'ops', url: hooks.url })).body;
    const { channel, secret } = made as IssuedChannelView;
    hooks.secret = secret ?? '';
    const rule = await owner.post('/alert-rules', { name: 'money', kinds: ['budget'], channels: [channel.id] });
    expect(rule.status).toBe(200);
  });
  afterAll(async () => {
    await replicas.remove();
    await Promise.all([upstream.stop(), hooks.stop()]);
  });

  const message = { role: 'assistant', content: 'a', refusal: null };
  const usage = { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const reply = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4.1', choices, usage };
  const script = { body: JSON.stringify(reply), contentType: 'application/json' };

  /** Until its budget has no room left. On a busy machine a reply may be late and refused; it is then asked for again. */
  async function spend(name: string): Promise<string> {
    const { body } = await owner.post('/tokens', { name, budgetUsd: '6', budgetPeriod: 'day' });
    const { id, token } = body as { id: string; token: string };
    const statuses: number[] = [];
    await until(async () => {
      const { base } = replicas.at(statuses.length % 3);
      const sent = await post({ base, token }, scripted(script, { max_tokens: 10 }));
      await sent.text();
      statuses.push(sent.status);
      return sent.status === 402;
    });
    // $1.20 each: what a request may cost at most by its own text is less, so that all five fit.
    expect(statuses.filter((status) => status === 200).length).toBe(5);
    return id;
  }

  const about = (tokenId: string) =>
    hooks.received.filter(({ body }) => (body['data'] as { subject?: string }).subject === `token:${tokenId}`);
  const thresholdsOf = (tokenId: string): string[] =>
    about(tokenId)
      .filter(({ status }) => status === 200)
      .map(({ body }) => (body['data'] as { threshold: string }).threshold);

  test('each threshold is delivered once, signed', async () => {
    const ids = await Promise.all(['one', 'two', 'three', 'four'].map(spend));
    await until(() => ids.every((id) => thresholdsOf(id).length > 0));
    // Several rounds of every replica later nothing more has come.
    const rounds = await replicas.query('SELECT due_at_ms FROM alert_turns');
    const dueAtMs = Number(rounds[0]?.['due_at_ms']);
    await until(async () => {
      const [turn] = await replicas.query('SELECT due_at_ms FROM alert_turns');
      return Number(turn?.['due_at_ms']) > dueAtMs + 2_000;
    });
    for (const id of ids) {
      const thresholds = thresholdsOf(id);
      expect(thresholds).toEqual([...new Set(thresholds)]);
      expect(about(id).every(({ signatureFits, status }) => signatureFits && status === 200)).toBe(true);
    }
    const [count] = await replicas.query('SELECT COUNT(*) AS alerts FROM alerts');
    expect(Number(count?.['alerts'])).toBe(ids.flatMap(thresholdsOf).length);
    expect(new Set(hooks.received.map(({ id }) => id)).size).toBe(hooks.received.length);
  });

  test('what a killed replica had begun is sent by another', async () => {
    hooks.failures = 2;
    const id = await spend('five');
    await until(() => about(id).length > 0);
    await replicas.at(0).kill();
    await until(() => thresholdsOf(id).length > 0);
    const other = new ConsoleClient(replicas.at(1));
    await other.signIn(ownerName, passwordOf(ownerName));
    const { items } = (await other.get('/alerts?kind=budget')).body as { items: AlertView[] };
    const states = items.filter(({ subject }) => subject === `token:${id}`).flatMap(({ deliveries }) => deliveries);
    await until(() => states.length > 0);
    const thresholds = thresholdsOf(id);
    expect(thresholds).toEqual([...new Set(thresholds)]);
  });
});
