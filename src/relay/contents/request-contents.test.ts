/** Contents of requests: sealed to their row, and never in the way of a reply, whatever becomes of the keeping. */

import { describe, expect, test } from 'bun:test';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import type { Reply } from '../../http/reply.ts';
import { createSealing } from '../../secrets/sealing.ts';
import type { Call } from '../admission/call.ts';
import { type ContentRow, type ContentTable, RequestContents } from './request-contents.ts';

const sealing = createSealing(fixedKeys(new Uint8Array(32).fill(3)));
const dayMs = 86_400_000;
const asked = () => ({ text: '{"asked":"CANARY"}', isCut: false });

function make(given: Partial<ContentTable> = {}) {
  const rows = new Map<string, ContentRow>();
  const warnings: string[] = [];
  const settings = { requests: true, requestDays: 2, requestsMax: 100, bytesMax: 1_024 };
  const contents = new RequestContents({
    table: {
      put: async (row) => void rows.set(row.requestId, row),
      get: async (id) => rows.get(id),
      expire: async () => undefined,
      trim: async () => undefined,
      ...given,
    },
    sealing,
    settings,
    wallMs: () => 1_000,
    warn: (message) => warnings.push(message),
  });
  return { contents, rows, warnings, settings };
}

// Only what the keeping looks at.
const callOf = (requestId: string, stream = false): Call =>
  ({ requestId, caller: { tokenId: 'tok' }, format: openaiChat, facts: { stream } }) as unknown as Call;

const textOf = async (reply: Reply): Promise<string> => new TextDecoder().decode(await reply.bytes());

const answered =
  (call: Call, body: BodyInit, type = 'application/json') =>
  async (onCall: (call: Call) => void) => {
    onCall(call);
    return new Response(body, { status: 200, headers: { 'content-type': type, 'x-own': 'yes' } });
  };

describe('what is kept', () => {
  test('opens for its own request and is nothing without the key', async () => {
    const { contents, rows } = make();
    const reply = await contents.keep(asked, answered(callOf('a'), '{"said":"CANARY"}'));
    expect([await textOf(reply), reply.headers.get('x-own')]).toEqual(['{"said":"CANARY"}', 'yes']);
    expect(await contents.find('a')).toEqual({
      requestId: 'a',
      tokenId: 'tok',
      atMs: 1_000,
      expiresAtMs: 1_000 + 2 * dayMs,
      request: { text: '{"asked":"CANARY"}', isCut: false },
      reply: { text: '{"said":"CANARY"}', isCut: false },
    });
    const row = rows.get('a');
    if (row === undefined) throw new Error('nothing was kept');
    expect(Buffer.from(row.content, 'base64').toString('latin1')).not.toContain('CANARY');
    rows.set('b', { ...row, requestId: 'b' });
    expect(contents.find('b')).rejects.toThrow();
    expect(await contents.find('no such\nid')).toBeUndefined();
  });

  test('of a stream passes piece by piece, as it is pulled, and is noted at its end', async () => {
    const { contents, rows } = make();
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled++;
          if (pulled > 3) controller.close();
          else controller.enqueue(new TextEncoder().encode(`data: ${pulled}\n\n`));
        },
      },
      { highWaterMark: 0 },
    );
    const reply = await contents.keep(asked, answered(callOf('a', true), stream, 'text/event-stream'));
    expect(pulled).toBe(0);
    const reader = reply.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n');
    expect([pulled, rows.size]).toEqual([1, 0]);
    while ((await reader?.read())?.done === false);
    expect((await contents.find('a'))?.reply.text).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\n');
  });

  test('of a stream that breaks or is left is what passed; the source learns that its reader left', async () => {
    const { contents } = make();
    let left: unknown;
    const source = (end?: Error) =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode('data: 1\n\n'));
          if (end !== undefined) controller.error(end);
        },
        cancel(reason) {
          left = reason;
        },
      });
    const leaving = await contents.keep(asked, answered(callOf('a', true), source(), 'text/event-stream'));
    const reader = leaving.body?.getReader();
    await reader?.read();
    await reader?.cancel('gone');
    expect(left).toBe('gone');
    expect((await contents.find('a'))?.reply.text).toBe('data: 1\n\n');
    const broken = await contents.keep(
      asked,
      answered(callOf('b', true), source(new Error('cut')), 'text/event-stream'),
    );
    expect(textOf(broken)).rejects.toThrow('cut');
    await Bun.sleep(0);
    expect(await contents.find('b')).toBeDefined();
  });

  test('is nothing where the request never became a call', async () => {
    const { contents, rows } = make();
    const refused = contents.keep(asked, async () => {
      throw new GatewayError('rate_limited', 'too many');
    });
    expect(refused).rejects.toThrow('too many');
    await contents.keep(asked, async () => new Response('replayed'));
    expect(rows.size).toBe(0);
  });

  test('of a refusal is the error that the client gets', async () => {
    const { contents } = make();
    const refused = contents.keep(asked, async (onCall) => {
      onCall(callOf('a'));
      throw new GatewayError('upstream_failed', 'it broke');
    });
    await refused.catch(() => undefined);
    expect(JSON.parse((await contents.find('a'))?.reply.text ?? '{}')).toMatchObject({
      error: { message: 'it broke' },
    });
  });
});

test('a store that fails or is slow costs a warning, never a reply, and no memory without bound', async () => {
  const failing = make({ put: () => Promise.reject(new Error('full')) });
  const reply = await failing.contents.keep(asked, answered(callOf('a'), '{}'));
  expect(await textOf(reply)).toBe('{}');
  await Bun.sleep(0);
  expect(failing.warnings).toHaveLength(1);

  const stuck = make({ put: () => new Promise(() => undefined) });
  stuck.settings.bytesMax = 4_194_304;
  const large = `"${'x'.repeat(4_000_000)}"`;
  for (let index = 0; index < 20; index++) await stuck.contents.keep(asked, answered(callOf(`${index}`), large));
  expect(stuck.warnings).toEqual([expect.stringContaining('faster than they can be written')]);
});

test('is on or off as the settings say now', () => {
  const { contents, settings } = make();
  expect(contents.isOn).toBe(true);
  settings.requests = false;
  expect(contents.isOn).toBe(false);
});
