/** Input of all other operations than conversations: nothing that is wrong reaches a provider or costs anything. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { errorOf } from '../harness/chat.ts';
import { settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { audioBlob, formOf, png, postTo } from '../harness/operation-calls.ts';
import { type OperationsUpstream, startOperationsUpstream } from '../harness/operations-upstream.ts';
import { expectValid } from '../harness/schema.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: OperationsUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = startOperationsUpstream();
  weir = await startWeir({
    yaml: {
      providers: { up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['m'] } },
      prices: { m: { image: 1, minute: 1, characters: 1, searches: 1, input: 1, output: 1 } },
    },
  });
});
afterAll(async () => {
  await weir?.remove();
  await upstream?.stop();
});
afterEach(() => upstream.reset());

/** The code and the field of a refusal that never reached the provider. */
async function refusal(reply: Response): Promise<{ status: number; code: string; param: string }> {
  const clone = reply.clone();
  const { code, param } = await errorOf(reply);
  expectValid('ErrorResponse', await clone.json());
  expect(reply.headers.get('x-request-id')).toBeTruthy();
  expect(upstream.entries).toEqual([]);
  return { status: reply.status, code, param };
}

interface Endpoint {
  readonly path: string;
  readonly valid: Readonly<Record<string, unknown>>;
  readonly wrong: Readonly<Record<string, readonly unknown[]>>;
}

const absent = undefined;
const notTexts = [1, true, [], {}];
const notWhole = ['1', -1, 0, 1.5, 1e9, -1e300, [], {}, true];
const imageFields = {
  prompt: [absent, null, '', ' ', ...notTexts, 'x'.repeat(32_001)],
  model: ['', ...notTexts, 'x'.repeat(257)],
  n: [...notWhole, 11],
  size: ['', '0x0', '-1x5', '1.5x2', '99999999x1', 'x', '10x', 'big', 1024, [], {}],
  response_format: ['', 'file', 1, [], {}],
  output_format: ['exe', 1, []],
  output_compression: [-1, 101, 1.5, '5'],
  partial_images: [-1, 4, 0.5, '1'],
  stream: ['true', 1, [], {}],
};

const jsonEndpoints: readonly Endpoint[] = [
  {
    path: '/embeddings',
    valid: { model: 'm', input: 'text' },
    wrong: {
      model: [absent, null, '', ...notTexts],
      input: [absent, null, '', [], 1, true, {}, [''], [1.5], [-1], [[]], ['a', 1], [1, 'a'], [{}], [null], [[1], 'a']],
      dimensions: [...notWhole],
      encoding_format: ['', 'int8', 1, [], {}],
      user: [1, [], {}],
    },
  },
  {
    path: '/moderations',
    valid: { model: 'm', input: 'text' },
    wrong: {
      model: ['', ...notTexts],
      input: [
        ...[absent, null, [], 1, true, {}, ['a', 1], [1], [null], [{}], [{ type: 'text' }], [{ type: 'video' }]],
        ...[[{ type: 'text', text: 1 }], [{ type: 'image_url' }], [{ type: 'image_url', image_url: 'x' }]],
        [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
      ],
    },
  },
  ...['/rerank', '/../v2/rerank'].map((path) => ({
    path,
    valid: { model: 'm', query: 'q', documents: ['d'] },
    wrong: {
      model: ['', ...notTexts],
      query: [absent, null, '', ...notTexts],
      documents: [absent, null, [], '', 1, {}, [1], [null], [true], ['a', []]],
      top_n: notWhole,
      return_documents: ['true', 1, []],
      max_tokens_per_doc: notWhole,
    },
  })),
  { path: '/images/generations', valid: { model: 'm', prompt: 'a boat' }, wrong: imageFields },
  {
    path: '/images/edits',
    valid: { model: 'm', prompt: 'a boat', images: [{ image_url: 'https://a.example/b.png' }] },
    wrong: {
      ...imageFields,
      images: [
        ...[absent, null, [], '', 1, {}, [1], [null], [{}], [{ image_url: '' }], [{ image_url: 1 }]],
        ...[[{ image_url: 'ftp://a/b' }], [{ image_url: 'file:///etc/passwd' }], [{ image_url: '/etc/passwd' }]],
        ...[[{ image_url: 'data:text/html;base64,AAAA' }], [{ image_url: 'data:image/png;base64,???' }]],
        ...[[{ file_id: '' }], [{ file_id: 1 }], [{ file_id: 'f', image_url: 'https://a/b' }]],
        Array.from({ length: 17 }, () => ({ image_url: 'https://a.example/b.png' })),
      ],
      mask: [{ image_url: 'ftp://a/b' }, 1],
      input_fidelity: ['', 'most', 1],
    },
  },
  {
    path: '/audio/speech',
    valid: { model: 'm', input: 'Hello.', voice: 'rms' },
    wrong: {
      model: [absent, null, '', ...notTexts],
      input: [absent, null, '', ...notTexts, 'x'.repeat(4_097)],
      voice: [absent, null, '', 1, true, [], {}, { id: 1 }, { id: '' }],
      speed: ['1', 0, -1, 0.24, 4.01, 1e300, -1e300, [], {}, true],
      response_format: ['', 'ogg', 1, []],
      stream_format: ['', 'json', 1, []],
      instructions: [1, [], {}, 'x'.repeat(4_097)],
    },
  },
];

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 60));

describe.each(jsonEndpoints.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (path, { valid, wrong }) => {
  test('the plain request is served', async () => {
    const reply = await postTo(weir, path, valid);
    await reply.bytes();
    expect(reply.status).toBe(200);
    expect(upstream.entries.length).toBe(1);
  });

  test.each([
    '',
    'null',
    '[]',
    '"text"',
    '1',
    'true',
    '{',
    '{"model":"m"',
    '{"model":',
    '{a:1}',
    '{"a":1}}',
    '\u0000',
  ])('%j is a 400', async (body) => {
    expect(await refusal(await postTo(weir, path, body))).toMatchObject({ status: 400, code: 'json_malformed' });
  });

  test('another type is a 415, and a body nested too deep a 400', async () => {
    const type = { headers: { 'content-type': 'text/plain' } };
    expect(await refusal(await postTo(weir, path, valid, type))).toMatchObject({ status: 415 });
    const deep = `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await refusal(await postTo(weir, path, deep))).toMatchObject({ status: 400, code: 'json_malformed' });
  });

  for (const [field, values] of Object.entries(wrong))
    test.each(
      values.map((value) => [shown(value), value]),
    )(`${field} = %s is a 400 that names it`, async (_, value) => {
      const { status, code, param } = await refusal(await postTo(weir, path, { ...valid, [field]: value }));
      expect(status).toBe(400);
      expect(['field_missing', 'field_invalid']).toContain(code);
      expect(param).toMatch(new RegExp(`^${field}(\\[|\\.|$)`));
    });

  test('__proto__ and constructor as keys change nothing', async () => {
    const text = JSON.stringify(valid).slice(1);
    const poison = `{"__proto__":{"n":5,"stream":true},"constructor":{"prototype":{"n":5}},${text}`;
    const reply = await postTo(weir, path, poison);
    await reply.bytes();
    expect(reply.status).toBe(200);
    upstream.reset();
    const only = `{"__proto__":${JSON.stringify(valid)}}`;
    expect(await refusal(await postTo(weir, path, only))).toMatchObject({ status: 400, code: 'field_missing' });
  });
});

type Fields = Readonly<Record<string, string | Blob>>;
const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

describe.each([
  ['/audio/transcriptions', { model: 'm', prompt: '1', file: audioBlob() }, 'file'],
  ['/audio/translations', { model: 'm', file: audioBlob() }, 'file'],
  ['/images/edits', { model: 'm', prompt: 'a boat', image: png() }, 'image'],
] as readonly [string, Fields, string][])('forms at %s', (path, valid, file) => {
  const send = (fields: Fields) => postTo(weir, path, formOf(fields));

  test('a field that is missing, empty or of another kind is a 400 that names it', async () => {
    const wrong: readonly [string, Fields][] = [
      [file, without(valid, file)],
      [file, { ...valid, [file]: 'a text' }],
      [file, { ...valid, [file]: new Blob([], { type: 'image/png' }) }],
      ['model', { ...valid, model: '' }],
      ['model', { ...valid, model: audioBlob() }],
      ['response_format', { ...valid, response_format: 'exe' }],
    ];
    for (const [field, fields] of wrong)
      expect(await refusal(await send(fields))).toMatchObject({ status: 400, param: field });
    if (path.includes('audio')) {
      expect(await refusal(await send(without(valid, 'model')))).toMatchObject({ status: 400, param: 'model' });
    }
  });

  test('invalid numbers and values are a 400 that names their field', async () => {
    const odd: Readonly<Record<string, readonly string[]>> = path.includes('audio')
      ? { temperature: ['-1', '2', 'hot', '1e99', 'NaN', 'Infinity', ''] }
      : { n: ['0', '-1', '1.5', '11', '1e3', 'x', '99999999999999999999'], size: ['0x0', 'big'], prompt: ['', ' '] };
    for (const [field, values] of Object.entries(odd))
      for (const value of values)
        expect([field, value, await refusal(await send({ ...valid, [field]: value }))]).toEqual([
          field,
          value,
          { status: 400, code: 'field_invalid', param: field },
        ]);
  });

  test('JSON where a form is needed, and any other type, are refused', async () => {
    const status = path.includes('audio') ? 415 : 400;
    expect(await refusal(await postTo(weir, path, { model: 'm' }))).toMatchObject({ status });
    const type = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect(await refusal(await postTo(weir, path, 'model=m', type))).toMatchObject({ status: 415 });
  });
});

describe('moderation inputs', () => {
  const resultsOf = async (input: unknown, model = 'sandbox-moderate') => {
    const reply = await postTo(weir, '/moderations', { model, input });
    if (reply.status !== 200) return { status: reply.status, results: -1 };
    return { status: 200, results: ((await reply.json()) as { results: unknown[] }).results.length };
  };

  test.each(['sandbox-moderate', 'm'])('have one result each, or are refused (%s)', async (model) => {
    const texts = Array.from({ length: 500 }, (_, index) => `text ${index}`);
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(await resultsOf('plain', model)).toEqual({ status: 200, results: 1 });
    expect(await resultsOf('x'.repeat(1_000_000), model)).toEqual({ status: 200, results: 1 });
    expect(await resultsOf(texts, model)).toEqual({ status: 200, results: 500 });
    expect(await resultsOf(parts, model)).toEqual({ status: 200, results: 1 });
    for (const empty of [[], null]) expect((await resultsOf(empty, model)).status).toBe(400);
    const blank = await resultsOf('', model);
    expect([200, 400]).toContain(blank.status);
    if (blank.status === 200) expect(blank.results).toBe(1);
  });
});

test('refused requests were not charged', async () => {
  const { usage, attempts } = await settledLedger(weir);
  const refused = usage.filter(({ status }) => status >= 400);
  expect(totalCostNano(refused)).toBe(0n);
  for (const row of [...usage, ...attempts]) expect(row.costNano ?? 0n).toBeGreaterThanOrEqual(0n);
});
