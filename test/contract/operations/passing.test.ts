/**
 * A body in the same format on both sides passes as bytes: the model's name is changed and nothing else, in JSON and in
 * forms, there and back.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Bench, startBench } from './bench.ts';
import type { Answer } from './scripted.ts';

/** Replies that any parse-and-print would change. */
const replies: Readonly<Record<string, string>> = {
  '/v1/embeddings':
    '{ "object":"list", "data":[{"object":"embedding","index":0,"embedding":[1.10, -0.0, 1e-3]}],\n "model":"own-name","usage":{"prompt_tokens":3,"total_tokens":3}, "x_own": 12345678901234567890 }',
  '/v1/images/generations': '{"created":1, "data":[ {"b64_json":"iVBORw0KGgo=","x_own":1.0} ]}\n',
  '/v1/images/edits': '{"created":1, "data":[ {"b64_json":"iVBORw0KGgo="} ] }',
  '/v1/audio/transcriptions': '{"text" : "Hello \\u0068ere", "usage":{"type":"duration","seconds":2}, "x_own":[ ]}',
  '/v1/audio/translations': '{ "text":"Good day","usage":{"type":"duration","seconds":2}}',
};

const echo: Answer = ({ path }) =>
  new Response(replies[path] ?? '{}', { headers: { 'content-type': 'application/json' } });

let bench: Bench;
beforeAll(async () => {
  const target = (model: string) => ({ targets: [{ provider: 'up', model }] });
  const owned = ['own-name', 'own-"quoted"-name'];
  bench = await startBench(
    { up: { kind: 'openai', base: '/v1', models: owned, answer: echo } },
    {
      models: { alias: target('own-name'), 'a-much-longer-alias/than-that': target('own-"quoted"-name') },
      unchecked: 'replies hold fields that no reference has, and pass as bytes',
    },
  );
});
afterAll(() => bench.remove());
beforeEach(() => bench.up('up').forget());

/** `MODEL` is replaced by the model's JSON string. */
const bodies: readonly [path: string, body: string][] = [
  [
    '/v1/embeddings',
    ' {\t"input" : "text",\r\n "model":MODEL , "x_beta":{"model":"deep","big":12345678901234567890}}\n',
  ],
  ['/v1/images/generations', '{"prompt":"a \\u0077eir","model":MODEL,"n":1,"x_own":[1.0,{}]}'],
  ['/v1/images/edits', '{"images":[ {"image_url":"https://pictures.example/a.png"} ],"prompt":"x", "model":MODEL}'],
];

describe.each(bodies)('%s', (path, template) => {
  test.each([
    ['own-name', 'own-name'],
    ['alias', 'own-name'],
    ['up/own-name', 'own-name'],
    ['a-much-longer-alias/than-that', 'own-"quoted"-name'],
  ])('as %p', async (named, model) => {
    const reply = await bench.post(path, template.replace('MODEL', JSON.stringify(named)));
    expect(await reply.text()).toBe(replies[path] ?? '');
    expect(reply.headers.get('x-weir-losses')).toBeNull();
    expect(`${bench.up('up').seen[0]?.bytes}`).toBe(template.replace('MODEL', JSON.stringify(model)));
  });
});

const boundary = '----odd(boundary)=1';
const fileBytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256));

/** A part's head is written as libraries and people write them. */
function formOf(parts: readonly (readonly [head: string, content: string | Buffer])[]): Buffer {
  const pieces = parts.flatMap(([head, content]) => [`--${boundary}\r\n${head}\r\n\r\n`, content, '\r\n']);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
}

function spliced(model: string, order: 'first' | 'last' | 'middle', file: string): Buffer {
  const named = ['Content-Disposition: form-data; name="model"', model] as const;
  const rest = [
    [
      `content-disposition: form-data; name="${file}"; filename="a \\"b\\" ☃.wav"\r\nContent-Type: audio/wav`,
      fileBytes,
    ],
    ['Content-Disposition: form-data; name=prompt\r\nX-Own: kept', 'model=alias\r\n--not the boundary'],
    ['Content-Disposition: form-data; name="x_own"', ''],
  ] as const;
  const at = { first: 0, middle: 1, last: rest.length }[order];
  return formOf([...rest.slice(0, at), named, ...rest.slice(at)]);
}

describe.each([
  ['/v1/audio/transcriptions', 'file'],
  ['/v1/audio/translations', 'file'],
  ['/v1/images/edits', 'image'],
])('a form at %s', (path, file) => {
  const typed = (bytes: Buffer) =>
    file === 'file' ? bytes : Buffer.from(bytes.toString('latin1').replace('audio/wav', 'image/png'), 'latin1');
  const cases = (['first', 'middle', 'last'] as const).flatMap((order) =>
    [
      ['own-name', 'own-name'],
      ['alias', 'own-name'],
      ['a-much-longer-alias/than-that', 'own-"quoted"-name'],
    ].map(([named = '', model = '']) => [order, named, model] as const),
  );

  test.each(cases)('with the model %s as %p', async (order, named, model) => {
    const reply = await fetch(bench.weir.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bench.weir.token}`,
        'content-type': `multipart/form-data; boundary="${boundary}"`,
      },
      body: new Uint8Array(typed(spliced(named, order, file))),
    });
    expect(await reply.text()).toBe(replies[path] ?? '');
    const [seen] = bench.up('up').seen;
    expect(seen?.bytes.equals(typed(spliced(model, order, file)))).toBe(true);
    expect(seen?.headers.get('content-length')).toBe(`${seen?.bytes.length}`);
    expect(seen?.headers.get('authorization')).toBe('Bearer provider-key-0123456789');
  });
});
