import { describe, expect, test } from 'bun:test';
import { file, form, json, pngBase64 } from '../../../test/harness/image-samples.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { FormFile, WireBody } from '../wire.ts';
import { imageBytesMax } from './edit-images.ts';
import { promptCharactersMax } from './image-options.ts';
import { openaiImageEditsClient } from './wires/openai-image-edits.ts';
import { openaiImagesClient } from './wires/openai-images.ts';

type FormPairs = readonly (readonly [string, string | FormFile])[];
type Wire = { check(body: WireBody, bodyBytes: number): unknown };

function fault(wire: Wire, body: WireBody): { status: number; param: string } {
  try {
    wire.check(body, 100);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { status: error.status, param: error.param };
  }
  throw new Error(`accepted ${JSON.stringify(body).slice(0, 200)}`);
}

const bad: readonly (readonly [string, unknown])[] = [
  ...[0, -1, 11, 1e9, 1.5, '2', true, [], {}, Number.MAX_VALUE].map((value) => ['n', value] as const),
  ...['', 'huge', '1024', '1024x', 'x1024', '0x1024', '1024x0', '-1x5', '99999x1', '1024X1024', '1e3x5', 7, []].map(
    (value) => ['size', value] as const,
  ),
  ...['', '  \n ', 'x'.repeat(promptCharactersMax + 1), 5, [], { text: 'a' }].map(
    (value) => ['prompt', value] as const,
  ),
  ...['', 5, [], 'x'.repeat(300)].map((value) => ['model', value] as const),
  ...['', 'b64', 5].map((value) => ['response_format', value] as const),
  ...['bmp', 1].map((value) => ['output_format', value] as const),
  ...['clear', 1].map((value) => ['background', value] as const),
  ...['none', 1].map((value) => ['moderation', value] as const),
  ...['', 5, 'x'.repeat(300)].map((value) => ['quality', value] as const),
  ...[5, {}].map((value) => ['style', value] as const),
  ...[5, ['u']].map((value) => ['user', value] as const),
  ...[-1, 101, 0.5, 'high'].map((value) => ['output_compression', value] as const),
  ...[-1, 4, 0.5, '1'].map((value) => ['partial_images', value] as const),
  ...[0.5, 1e300, '7'].map((value) => ['seed', value] as const),
  ...[5, 'x'.repeat(promptCharactersMax + 1)].map((value) => ['negative_prompt', value] as const),
  ...['true', 1, {}].map((value) => ['stream', value] as const),
];

describe('a bad field is a 400 that names it', () => {
  const image = [{ image_url: 'https://images.example/a.png' }];
  for (const [field, value] of bad) {
    const shown = JSON.stringify(value).slice(0, 40);
    test(`${field} ${shown}`, () => {
      expect(fault(openaiImagesClient, json({ prompt: 'a', [field]: value }))).toEqual({ status: 400, param: field });
      const edit = json({ prompt: 'a', images: image, [field]: value });
      expect(fault(openaiImageEditsClient, edit)).toEqual({ status: 400, param: field });
    });
  }

  test('in a form too, where everything is text', () => {
    const pairs = [
      ['n', '0'],
      ['n', '-1'],
      ['n', '1.5'],
      ['n', '1e1'],
      ['n', '0x2'],
      ['n', ' 2'],
      ['n', '99999999999999999999'],
      ['size', 'big'],
      ['stream', 'yes'],
      ['partial_images', '9'],
      ['model', ''],
      ['input_fidelity', 'total'],
    ] as const;
    for (const [field, value] of pairs) {
      const body = form(['prompt', 'a'], ['image', file('image')], [field, value]);
      expect(fault(openaiImageEditsClient, body)).toEqual({ status: 400, param: field });
    }
    const twice = form(['prompt', 'a'], ['image', file('image')], ['n', '1'], ['n', '10']);
    expect(fault(openaiImageEditsClient, twice).param).toBe('n');
    const fileAsText = form(['prompt', file('prompt')], ['image', file('image')]);
    expect(fault(openaiImageEditsClient, fileAsText).param).toBe('prompt');
  });

  test('a prompt that is not there, and a body that is one file', () => {
    expect(fault(openaiImagesClient, json({}))).toEqual({ status: 400, param: 'prompt' });
    expect(fault(openaiImagesClient, json({ prompt: null }))).toEqual({ status: 400, param: 'prompt' });
    expect(fault(openaiImagesClient, { kind: 'file', file: file('file') }).status).toBe(415);
  });
});

describe('the images of an edit', () => {
  const edit = (...fields: FormPairs): WireBody => form(['prompt', 'a'], ...fields);
  const large = { ...file('image'), bytes: imageBytesMax + 1 };
  const cases: readonly (readonly [string, string, WireBody])[] = [
    ['none', 'image', edit()],
    ['text in place of a file', 'image', edit(['image', 'cat.png'])],
    ['seventeen', 'image[]', edit(...Array.from({ length: 17 }, () => ['image[]', file('image[]')] as const))],
    ['a pdf', 'image', edit(['image', file('image', 'application/pdf')])],
    [
      'bytes of no kind with no telling name',
      'image',
      edit(['image', file('image', 'application/octet-stream', undefined, 'blob')]),
    ],
    ['a gif mask', 'mask', edit(['image', file('image')], ['mask', file('mask', 'image/gif')])],
    ['two masks', 'mask', edit(['image', file('image')], ['mask', file('mask')], ['mask', file('mask')])],
    ['an empty file', 'image', edit(['image', file('image', 'image/png', new Uint8Array())])],
    ['one byte too much', 'image', edit(['image', large])],
    ['JSON: none', 'images', json({ prompt: 'a' })],
    ['JSON: an empty list', 'images', json({ prompt: 'a', images: [] })],
    ['JSON: no list', 'images', json({ prompt: 'a', images: 'https://a.example/b' })],
    ['JSON: a number', 'images[1].image_url', json({ prompt: 'a', images: ['https://a.example/b', 5] })],
    ['JSON: an empty object', 'images[0].image_url', json({ prompt: 'a', images: [{}] })],
    [
      'JSON: a file address',
      'images[0].image_url',
      json({ prompt: 'a', images: [{ image_url: 'file:///etc/passwd' }] }),
    ],
    ['JSON: a broken address', 'images[0].image_url', json({ prompt: 'a', images: [{ image_url: 'http://[' }] })],
    ['JSON: an empty id', 'images[0].file_id', json({ prompt: 'a', images: [{ file_id: '' }] })],
    [
      'JSON: id and address',
      'images[0]',
      json({ prompt: 'a', images: [{ file_id: 'f', image_url: 'https://a.example' }] }),
    ],
    [
      'JSON: not base64',
      'images[0].image_url',
      json({ prompt: 'a', images: [{ image_url: 'data:image/png;base64,%%%' }] }),
    ],
    [
      'JSON: inline svg',
      'images[0].image_url',
      json({ prompt: 'a', images: [{ image_url: 'data:image/svg+xml;base64,AAAA' }] }),
    ],
    ['JSON: a bad mask', 'mask.image_url', json({ prompt: 'a', images: ['https://a.example/b'], mask: {} })],
    [
      'JSON: both spellings',
      'image',
      json({ prompt: 'a', images: ['https://a.example/b'], image: 'https://a.example/b' }),
    ],
  ];
  for (const [what, param, body] of cases) {
    test(`${what} is refused`, () => expect(fault(openaiImageEditsClient, body)).toEqual({ status: 400, param }));
  }

  test('sixteen of the largest are taken, whichever way they are named', () => {
    const all = Array.from({ length: 16 }, () => ['image[]', { ...file('image[]'), bytes: imageBytesMax }] as const);
    expect(openaiImageEditsClient.check(edit(...all), 100).most.images).toBe(1);
    const numbered = edit(['image[0]', file('image[0]')], ['image[1]', file('image[1]', 'image/webp')]);
    expect(openaiImageEditsClient.readRequest(numbered).value.images).toHaveLength(2);
    const untyped = edit(['image', file('image', 'application/octet-stream', undefined, 'Cat.JPEG')]);
    const [image] = openaiImageEditsClient.readRequest(untyped).value.images;
    expect(image?.kind === 'file' && image.file.mediaType).toBe('image/jpeg');
  });
});

describe('what a request can use at most', () => {
  test('as many images as asked for; the model may be left to Weir', () => {
    const facts = openaiImagesClient.check(json({ prompt: 'a boat', n: 4, stream: true }), 40);
    expect(facts).toMatchObject({ model: undefined, stream: true, most: { images: 4 } });
    expect(openaiImagesClient.check(json({ prompt: 'a' }), 40, 'named').model).toBe('named');
  });

  test('the bound on tokens is above every published count', () => {
    const published = [
      ['1024x1024', 'low', 272],
      ['1024x1024', 'medium', 1_056],
      ['1024x1024', 'high', 4_160],
      ['1024x1536', 'high', 6_240],
      ['1536x1024', 'auto', 6_208],
      ['auto', 'high', 6_240],
    ] as const;
    for (const [size, quality, tokens] of published) {
      const { most } = openaiImagesClient.check(json({ prompt: 'a', size, quality, n: 2 }), 40);
      expect(most.tokens?.output.total).toBeGreaterThan(2 * tokens);
      expect(most.tokens?.output.total).toBeLessThan(2 * (2 * tokens + 3_000));
    }
    const odd = openaiImagesClient.check(json({ prompt: 'a', quality: '__proto__' }), 40);
    expect(odd.most.tokens?.output.total).toBeGreaterThan(6_240);
  });

  test("an image's base64 counts as an image, not as text", () => {
    const body = { prompt: 'a', images: [{ image_url: `data:image/png;base64,${'A'.repeat(4_000_000)}` }] };
    const { most } = openaiImageEditsClient.check(json(body), JSON.stringify(body).length);
    expect(most.tokens?.input.total).toBeGreaterThan(6_240);
    expect(most.tokens?.input.total).toBeLessThan(10_000);
  });
});

test('whatever comes, a check gives facts or a GatewayError, and what passed can be read', () => {
  const values: readonly unknown[] = [
    ...[null, 0, -0, 1e308, Number.NaN, '', '\u0000', '\ud800', [], {}, [[]], [null], { __proto__: null }, true],
    ...['auto', '1:1', '2K', 'data:', 'data:image/png;base64,', `data:image/png;base64,${pngBase64}`, 'http://'],
  ];
  const names = [
    'prompt',
    'n',
    'size',
    'images',
    'image',
    'mask',
    'model',
    'stream',
    'seed',
    '__proto__',
    'constructor',
  ];
  let accepted = 0;
  for (const first of names) {
    for (const second of names) {
      for (const value of values) {
        const valid = { prompt: 'a', images: ['https://a.example/b'] };
        const tree = JSON.parse(
          `{${[...Object.entries({ ...valid, [second]: value }), [first, value] as const]
            .map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one) ?? 'null'}`)
            .join(',')}}`,
        ) as object;
        for (const wire of [openaiImagesClient, openaiImageEditsClient]) {
          try {
            wire.check(json(tree), 100);
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
            continue;
          }
          wire.readRequest(json(tree));
          accepted++;
        }
      }
    }
  }
  expect(accepted).toBeGreaterThan(500);
  expect(Object.hasOwn(Object.prototype, 'prompt')).toBe(false);
});
