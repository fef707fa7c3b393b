/** Moderation through the official library: with and without a model, every kind of input, every category. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BadRequestError, NotFoundError, PermissionDeniedError } from 'openai';
import type { Moderation } from 'openai/resources/moderations';
import { failureOf, openaiOf } from '../../harness/operation-clients.ts';
import { createToken } from '../../harness/token.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

const categories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];
const threat = 'I am going to kill you, you worthless idiot.';
const harmless = 'The river runs past the old mill.';
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let weir: RunningWeir;

beforeAll(async () => {
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.remove();
});

/** Every key in all three maps, and no contradiction between them. */
function expectWhole(result: Moderation): void {
  for (const map of [result.categories, result.category_scores, result.category_applied_input_types]) {
    expect(Object.keys(map).sort()).toEqual(categories);
  }
  for (const score of Object.values(result.category_scores)) {
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
  }
  expect(result.flagged).toBe(Object.values(result.categories).includes(true));
}

test.each([undefined, 'sandbox-moderate', 'sandbox/sandbox-moderate'])('a text, model %p', async (model) => {
  const named = model === undefined ? {} : { model };
  const reply = await openaiOf(weir).moderations.create({ input: threat, ...named });
  expect(reply.id).toStartWith('modr-');
  expect(reply.model).toContain('sandbox-moderate');
  expect(reply.results).toHaveLength(1);
  const [result] = reply.results;
  if (result === undefined) throw new Error('no result');
  expectWhole(result);
  expect(result.flagged).toBe(true);
  expect(result.categories['harassment/threatening']).toBe(true);
  expect(result.categories['sexual/minors']).toBe(false);
  const calm = await openaiOf(weir).moderations.create({ input: harmless, ...named });
  expect(calm.results[0]?.flagged).toBe(false);
  expect(calm.id).not.toBe(reply.id);
});

test('a list of texts has one result for each, in their order', async () => {
  const input = [harmless, threat, harmless, harmless, threat];
  const { results } = await openaiOf(weir).moderations.create({ input });
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true, false, false, true]);
  for (const result of results) expectWhole(result);
});

test('a list of one, of two thousand, and of empty texts', async () => {
  for (const input of [[threat], Array.from({ length: 2048 }, (_, index) => (index % 7 === 0 ? threat : harmless))]) {
    const { results } = await openaiOf(weir).moderations.create({ input });
    expect(results).toHaveLength(input.length);
    results.forEach(({ flagged }, index) => {
      expect(flagged).toBe(input[index] === threat);
    });
  }
  const { results } = await openaiOf(weir).moderations.create({ input: ['', ' ', ''] });
  expect(results.map(({ flagged }) => flagged)).toEqual([false, false, false]);
});

test('a megabyte of text is one input', async () => {
  const { results } = await openaiOf(weir).moderations.create({ input: `${'river '.repeat(170_000)}${threat}` });
  expect(results).toHaveLength(1);
  expect(results[0]?.flagged).toBe(true);
});

test('parts of text and image are one input together', async () => {
  const { results } = await openaiOf(weir).moderations.create({
    model: 'sandbox-moderate',
    input: [
      { type: 'text', text: threat },
      { type: 'image_url', image_url: { url: pixel } },
    ],
  });
  expect(results).toHaveLength(1);
  const [result] = results;
  if (result === undefined) throw new Error('no result');
  expectWhole(result);
  expect(result.flagged).toBe(true);
  expect(result.category_applied_input_types['harassment/threatening']).toEqual(['text']);
  const image = await openaiOf(weir).moderations.create({
    input: [{ type: 'image_url', image_url: { url: pixel } }],
  });
  expect(image.results).toHaveLength(1);
  expect(image.results[0]?.flagged).toBe(false);
});

describe('invalid input is refused by the name of its field', () => {
  const refusals: [string, object, string][] = [
    ['nothing', {}, 'input'],
    ['null', { input: null }, 'input'],
    ['a number', { input: 5 }, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['a list of numbers', { input: [1, 2] }, 'input[0]'],
    ['texts and parts mixed', { input: ['a', { type: 'text', text: 'b' }] }, 'input[1]'],
    ['an unknown part', { input: [{ type: 'video', video: 'x' }] }, 'input[0].type'],
    ['a part without its text', { input: [{ type: 'text' }] }, 'input[0].text'],
    [
      'an image of another URL scheme',
      { input: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
      'input[0].image_url.url',
    ],
    ['a model that is no text', { input: 'a', model: 7 }, 'model'],
    ['too many', { input: Array.from({ length: 2049 }, () => 'a') }, 'input'],
  ];

  test.each(refusals)('%s', async (_name, body, param) => {
    const error = await failureOf(openaiOf(weir).moderations.create(body as never));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
  });

  test('an unknown model, and one that converses', async () => {
    const ask = (model: string) => failureOf(openaiOf(weir).moderations.create({ model, input: 'a' }));
    const absent = await ask('no-such-model');
    expect(absent).toBeInstanceOf(NotFoundError);
    expect(absent.code).toBe('model_not_found');
    const chat = await ask('sandbox-chat');
    expect(chat).toBeInstanceOf(BadRequestError);
    expect(chat.code).toBe('operation_unsupported');
  });

  test('a token that may not use the default model is refused', async () => {
    const narrow = await createToken(weir, '--models', 'sandbox-embed');
    const error = await failureOf(openaiOf(weir, narrow.token).moderations.create({ input: 'a' }));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error.code).toBe('model_not_allowed');
  });
});

test("an alias of the operation's name is the operator's default", async () => {
  const own = await startWeir({
    yaml: { models: { moderate: { targets: [{ provider: 'sandbox', model: 'sandbox-moderate' }] } } },
  });
  try {
    const { results } = await openaiOf(own).moderations.create({ input: [threat, harmless] });
    expect(results.map(({ flagged }) => flagged)).toEqual([true, false]);
  } finally {
    await own.remove();
  }
});
