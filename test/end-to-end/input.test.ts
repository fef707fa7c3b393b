/** Input: nothing that a client can send breaks Weir, reaches the provider, or costs anything. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { bodyTextOf } from '../fake-upstream/invoice.ts';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { expectValid } from '../harness/schema.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const smallLimit = 2_000;
let upstream: RunningUpstream;
let weir: RunningWeir;
/** It also closes connections that are silent for some seconds, idle ones too: no request to it reuses one. */
let small: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  const yaml = {
    providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
  };
  weir = await startWeir({ yaml });
  small = await startWeir({
    yaml,
    env: { WEIR_LIMITS_JSON_BODY_BYTES_MAX: `${smallLimit}`, WEIR_CLOCKS_CLIENT_BODY_TIMEOUT_MS: '3000' },
  });
});
afterAll(async () => {
  await weir.remove();
  await small.remove();
  await upstream.stop();
});
afterEach(async () => {
  // Whatever a test did, the next client is served.
  const reply = await post(weir, scripted({}, { model: 'sandbox-chat' }));
  // An unread reply may close its connection while the next request is on it.
  await reply.text();
  expect(reply.status).toBe(200);
  await upstream.reset();
});

/** The code and the field of a refusal that never reached the provider. */
async function refusal(reply: Response): Promise<{ status: number; code: string; param: string }> {
  const clone = reply.clone();
  const { code, param } = await errorOf(reply);
  expectValid('ErrorResponse', await clone.json());
  expect(reply.headers.get('x-request-id')).toBeTruthy();
  expect(await upstream.invoice()).toEqual([]);
  return { status: reply.status, code, param };
}

describe('the body as a whole', () => {
  test.each([
    '',
    'null',
    '[]',
    '"text"',
    '1',
    'true',
    '{',
    '{"model":"gpt-4.1"',
    '{"model":',
    '{a:1}',
    "{'a':1}",
    '{"a":1}}',
    '\u0000',
    '{"a":1,}',
    '\ufeff',
  ])('%j is a 400', async (body) => {
    expect(await refusal(await post(weir, body))).toEqual({ status: 400, code: 'json_malformed', param: '' });
  });

  test('bytes that are not UTF-8 are a 4xx or arrive in some form', async () => {
    const body = Buffer.concat([
      Buffer.from('{"model":"gpt-4.1","messages":[{"role":"user","content":"'),
      Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
      Buffer.from('"}]}'),
    ]);
    const reply = await post(weir, '', { body });
    expect(reply.status).toBeLessThan(500);
  });
});

const message = { role: 'user', content: 'hi' };
const valid = { model: 'gpt-4.1', messages: [message] };

describe('fields', () => {
  const cases: readonly [string, unknown[]][] = [
    ['model', [undefined, null, '', 1, true, [], {}, ['gpt-4.1']]],
    ['messages', [undefined, null, [], '', 'hi', 1, {}, [null], [1], ['hi'], [{}], [{ role: 1 }], [{ content: 'x' }]]],
    ['max_tokens', ['1', -1, 0, 1.5, [], {}, true, -1e300]],
    ['max_completion_tokens', ['1', -1, 0, 1.5, [], {}, true]],
    ['n', ['1', -1, 0, 1.5, 1e9, [], {}, true]],
    ['stream', ['true', 1, 0, [], {}, 'yes']],
    ['temperature', ['hot', true, [], {}, -1]],
  ];
  for (const [field, values] of cases)
    test.each(
      values.map((value) => [value === undefined ? 'absent' : JSON.stringify(value), value]),
    )(`${field} = %s is a 400 that names it`, async (_, value) => {
      const { status, code, param } = await refusal(await post(weir, { ...valid, [field]: value }));
      expect(status).toBe(400);
      expect(['field_missing', 'field_invalid']).toContain(code);
      expect(param).toMatch(new RegExp(`^${field}(\\[|\\.|$)`));
    });

  test('huge token ceilings are refused or passed on, never a negative or overflowing price', async () => {
    for (const value of ['9007199254740993', '1e308', '1e400', '99999999999999999999999999']) {
      const reply = await post(
        weir,
        `{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}],"max_tokens":${value}}`,
      );
      expect(reply.status).toBeLessThan(500);
      await reply.text();
    }
    for (const row of (await settledLedger(weir)).usage) expect(row.costNano).toBeGreaterThanOrEqual(0n);
  });

  test('null for an optional field is what libraries send for "not set"', async () => {
    const reply = await post(weir, {
      ...valid,
      max_tokens: null,
      n: null,
      stream: null,
      temperature: null,
      stop: null,
    });
    expect(reply.status).toBe(200);
  });
});

describe('the size of a body', () => {
  const sized = (bytes: number) => {
    const frame = '{"model":"gpt-4.1","messages":[{"role":"user","content":""}]}';
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
  };
  const chunked = (text: string) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        const bytes = new TextEncoder().encode(text);
        for (let start = 0; start < bytes.length; start += 500) controller.enqueue(bytes.slice(start, start + 500));
        controller.close();
      },
    });

  test.each(['by length', 'chunked'])('one below, at and above the limit, %s', async (how) => {
    const send = (bytes: number) =>
      post(small, sized(bytes), { keepalive: false, ...(how === 'chunked' && { body: chunked(sized(bytes)) }) });
    expect((await send(smallLimit - 1)).status).toBe(200);
    expect((await send(smallLimit)).status).toBe(200);
    await upstream.reset();
    expect(await refusal(await send(smallLimit + 1))).toEqual({ status: 413, code: 'body_too_large', param: '' });
  });

  test('a Content-Length above the limit is refused before the body arrives', async () => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${small.token}\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n\r\n`;
    const reply = await rawRequest(small.url, [head, '{']);
    expect(reply.status).toBe(413);
  });

  test('an endless chunked body is cut off', async () => {
    const piece = new Uint8Array(1_000_000).fill(0x20);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++;
        controller.enqueue(piece);
      },
    });
    const status = await post(small, '', { body, keepalive: false }).then(
      (reply) => reply.status,
      () => 'closed' as const,
    );
    expect([413, 'closed']).toContain(status);
    expect(sent).toBeGreaterThan(0);
  }, 300_000);
});

describe('the shape of a body', () => {
  const nested = (depth: number) =>
    `{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}],"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  test('64 levels pass, 65 and 100,000 do not', async () => {
    expect((await post(weir, nested(64))).status).toBe(200);
    await upstream.reset();
    for (const depth of [65, 100_000, 1_000_000])
      expect(await refusal(await post(weir, nested(depth)))).toMatchObject({ status: 400, code: 'json_malformed' });
  });

  test('depth that never closes is a 400', async () => {
    for (const unit of ['[', '{"a":', '[{"b":'])
      expect(await refusal(await post(weir, unit.repeat(200_000)))).toMatchObject({ status: 400 });
  });

  test('a million keys arrive as they are or are refused', async () => {
    const keys = Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(',');
    const body = `{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}],${keys}}`;
    const reply = await post(weir, body);
    expect(reply.status).toBeLessThan(500);
    await reply.text();
    if (reply.status !== 200) return;
    const [entry] = await upstream.invoice();
    expect(entry && bodyTextOf(entry) === body).toBe(true);
  }, 300_000);

  test('surrogates, NUL and control characters are refused or kept', async () => {
    for (const content of ['\\ud800', '\\udc00\\ud800', '\\u0000', '\\u0001\\u001f\\u007f', '\\ufffe']) {
      await upstream.reset();
      const body = `{"model":"gpt-4.1","messages":[{"role":"user","content":"${content}"}]}`;
      const reply = await post(weir, body);
      expect(reply.status).toBeLessThan(500);
      const [entry] = await upstream.invoice();
      if (reply.status === 200) expect(entry && bodyTextOf(entry)).toBe(body);
    }
    for (const model of [
      '\\u0000',
      'gpt-4.1\\u0000',
      '\\ud800',
      '../../etc',
      'a'.repeat(100_000),
      'up/',
      '/',
      '__proto__',
      'constructor',
    ]) {
      const reply = await post(weir, `{"model":"${model}","messages":[{"role":"user","content":"hi"}]}`);
      expect([400, 404]).toContain(reply.status);
      await errorOf(reply);
    }
  });

  test('__proto__ and constructor as keys do not affect later requests', async () => {
    const poison = '{"__proto__":{"stream":true,"polluted":1,"model":"x"},"constructor":{"prototype":{"polluted":1}},';
    const body = `${poison}"model":"gpt-4.1","messages":[{"role":"user","content":"hi","__proto__":{"role":"system"}}]}`;
    expect((await post(weir, body)).status).toBe(200);
    const [entry] = await upstream.invoice();
    expect(entry && bodyTextOf(entry)).toBe(body);
    const only = '{"__proto__":{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}]}}';
    await upstream.reset();
    expect(await refusal(await post(weir, only))).toMatchObject({ status: 400, code: 'field_missing' });
    const reply = await post(weir, valid);
    expect(reply.headers.get('content-type')).toStartWith('application/json');
  });
});

describe('the request around the body', () => {
  test('another content type is a 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'json',
    ]) {
      const reply = await post(weir, valid, { headers: { 'content-type': type } });
      expect(await refusal(reply)).toEqual({ status: 415, code: 'content_type_unsupported', param: '' });
    }
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset=UTF-8'])
      expect((await post(weir, valid, { headers: { 'content-type': type } })).status).toBe(200);
  });

  const get = (path: string, method = 'GET') =>
    fetch(weir.url + path, { method, headers: { authorization: `Bearer ${weir.token}` } });

  test('an unknown path is a 404, a wrong method a 405 with Allow', async () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/nope',
      '/v1/chat',
      '/v1/chat/completions/x',
      '/v2/chat/completions',
      '/nope',
      '/v1/models/a/b/c/d',
    ])
      expect(await refusal(await get(path))).toMatchObject({ status: 404 });
    for (const [method, path, allow] of [
      ['GET', '/v1/chat/completions', 'POST'],
      ['DELETE', '/v1/chat/completions', 'POST'],
      ['PUT', '/v1/models', 'GET'],
      ['POST', '/v1/models/gpt-4.1', 'GET'],
    ] as const) {
      const reply = await get(path, method);
      expect(reply.headers.get('allow')).toContain(allow);
      expect(await refusal(reply)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    }
  });

  test.each([
    '/v1/v1/chat/completions',
    '//v1/chat/completions',
    '/v1//chat/completions',
    '/v1/chat/completions?beta=true',
    '/v1/chat/completions/',
  ])('%s is the same route', async (path) => {
    const reply = await fetch(weir.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(valid),
    });
    expect(reply.status).toBe(200);
  });

  test('malformed URLs are a 4xx', async () => {
    for (const path of [
      '/v1/models/%',
      '/v1/models/%ff',
      '/v1/models/%00',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/v1/models/..%2f..',
      '/?%',
    ]) {
      const head = `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${weir.token}\r\n\r\n`;
      expect((await rawRequest(weir.url, [head])).status).toBeLessThan(500);
    }
  });

  test('a head that is too large is refused', async () => {
    const head = `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${weir.token}\r\nx-large: ${'x'.repeat(64_000)}\r\n\r\n`;
    const reply = await rawRequest(weir.url, [head]);
    expect(reply.status === 431 || reply.status === 400 || (reply.closed && reply.status === 0)).toBe(true);
  });

  test('a body that does not arrive is cut off', async () => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${small.token}\r\ncontent-type: application/json\r\n`;
    const halves = [
      `${head}content-length: 100\r\n\r\n{"model":`,
      `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"mod\r\n`,
    ];
    for (const half of halves) {
      const reply = await rawRequest(small.url, [half], 60_000);
      expect(reply.status === 408 || (reply.closed && reply.status === 0)).toBe(true);
    }
    expect(await upstream.invoice()).toEqual([]);
  }, 300_000);

  test('a head that does not arrive is cut off', async () => {
    const reply = await rawRequest(small.url, ['POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: '], 60_000);
    expect(reply.status).toBe(408);
  }, 300_000);
});

test('only the requests that were served were charged', async () => {
  const ledger = await settledLedger(weir);
  const refused = ledger.usage.filter((row) => row.status >= 400);
  expect(totalCostNano(refused)).toBe(0n);
});
