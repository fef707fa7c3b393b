import { describe, expect, test } from 'bun:test';
import { faultOf, form, json, parsed, upload } from '../../../test/harness/video-order-samples.ts';
import type { FormFile } from '../wire.ts';
import { checkVideo, readVideo } from './generations-client.ts';
import { imageBytesMax, orderImagesMax } from './order-media.ts';
import { promptCharactersMax, videoMost } from './video-order.ts';

const invalid = (param: string) => ({ code: 'field_invalid', status: 400, param });
const missing = (param: string) => ({ code: 'field_missing', status: 400, param });
const png = 'data:image/png;base64,iVBORw0KGgo=';
const mp4 = 'data:video/mp4;base64,AAAAIGZ0eXA=';
const long = (characters: number) => 'x'.repeat(characters);

describe('a wrong value is a 400 that names its field', () => {
  const amounts = [0, -1, -0.5, 601, 1e300, Number.NaN, Infinity, 'five', '5s', '-5', '1e2', '0', '', [5], {}, true];
  const wholes = (most: number) => [0, -1, 1.5, most + 1, 1e300, Number.NaN, Infinity, '2', true, [], {}];
  const edges = [15, 8_193, 0, -1, 720.5, 1e300, Number.NaN, '720', {}];
  const media = [
    ...[
      '',
      'no address',
      'ftp://a.example/x',
      'file:///etc/passwd',
      'https://',
      'https://a.exa mple/x',
      5,
      true,
      {},
      null,
    ],
    ...[{ url: '' }, { url: 5 }, { url: { url: 'https://a.example' } }, `https://a.example/${long(8_200)}`],
    ...['https://a.example/\nx', 'data:image/png;base64,', 'data:image/png;base64,?', 'data:text/html;base64,AAAA'],
    ...['data:image/png,AAAA', { href: 'https://a.example' }],
  ];
  const table: readonly (readonly [string, readonly unknown[]])[] = [
    ['model', ['', 5, [], {}, long(300)]],
    ['prompt', [5, [], {}, true, long(promptCharactersMax + 1)]],
    ['duration', amounts],
    ['seconds', amounts],
    ['size', ['720p', '1280', '1280x', 'x720', '15x720', '1280x8193', '1280X720', '-1x20', '99999x99999', '', 5, {}]],
    ['aspect_ratio', ['16', '16:0', '0:9', '16:9:1', '1.5:1', '-16:9', '1000:1', 'wide', '', 5]],
    ['fps', wholes(240)],
    ['n', wholes(10)],
    ['seed', [-2, 0.5, 2 ** 53, 1e300, Number.NaN, '7', {}, true]],
    ['negative_prompt', [5, [], long(promptCharactersMax + 1)]],
    ['callback_url', ['', 'here', 'ftp://a.example', 'javascript:alert(1)', 5, {}, `https://a.example/${long(2_000)}`]],
    ['metadata', ['text', 5, [], true, Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v']))]],
    ['metadata', [{ [long(65)]: 'v' }, { '': 'v' }]],
  ];
  for (const [field, values] of table) {
    for (const value of values) {
      test(`${field} ${String(JSON.stringify(value)).slice(0, 40)} ${String(value).slice(0, 10)}`, () => {
        expect(faultOf(checkVideo, json({ prompt: 'a', [field]: value }))).toEqual(invalid(field));
      });
    }
  }
  for (const field of ['width', 'height']) {
    test.each(edges)(`${field} %j`, (value) => {
      const body = json({ prompt: 'a', width: 720, height: 720, [field]: value });
      expect(faultOf(checkVideo, body)).toEqual(invalid(field));
    });
  }
  for (const field of ['image', 'last_frame', 'video']) {
    test.each(media.filter((value) => value !== null))(`${field} %j`, (value) => {
      expect(faultOf(checkVideo, json({ prompt: 'a', [field]: value })).code).toBe('field_invalid');
      expect(faultOf(checkVideo, json({ prompt: 'a', [field]: value })).param).toStartWith(field);
    });
  }

  test.each([
    [{ images: ['https://a.example/1.png', 7] }, 'images[1]'],
    [{ images: ['https://a.example/1.png', null] }, 'images[1]'],
    [{ images: Array.from({ length: orderImagesMax + 1 }, () => 'https://a.example/1.png') }, 'images[0]'],
    [{ last_frame: ['https://a.example/1.png', 'https://a.example/2.png'] }, 'last_frame'],
    [{ video: ['https://a.example/1.mp4', 'https://a.example/2.mp4'] }, 'video[1]'],
    [{ image: { url: 'ftp://a.example' } }, 'image.url'],
    [{ image: { file_id: 'file-1' } }, 'image.file_id'],
    [{ image: mp4 }, 'image'],
    [{ video: png }, 'video'],
    [{ metadata: { a: 5 } }, 'metadata.a'],
    [{ metadata: { a: null } }, 'metadata.a'],
    [{ metadata: { a: long(513) } }, 'metadata.a'],
    [{ duration: 5, seconds: 6 }, 'seconds'],
    [{ size: '1280x720', width: 1281 }, 'width'],
    [{ size: '1280x720', width: 1280, height: 721 }, 'height'],
    [{ input_reference: 'https://a.example/1.png' }, 'input_reference'],
    [{ prompt: '  \n ' }, 'prompt'],
    [{ prompt: '' }, 'prompt'],
  ] as const)('%j', (tree, param) => {
    expect(faultOf(checkVideo, json({ prompt: 'a', ...tree }))).toEqual(invalid(param));
  });

  test.each([
    [{}, 'prompt'],
    [{ prompt: null }, 'prompt'],
    [{ prompt: 'a', width: 720 }, 'height'],
    [{ prompt: 'a', height: 720 }, 'width'],
  ] as const)('what is missing: %j', (tree, param) => {
    expect(faultOf(checkVideo, json(tree))).toEqual(missing(param));
  });

  test('a body that is neither JSON nor a form', () => {
    const file = upload('x', 'video/mp4', 'a.mp4');
    expect(faultOf(checkVideo, { kind: 'file', file }).code).toBe('content_type_unsupported');
    for (const text of ['[]', 'null', '"a"']) expect(faultOf(checkVideo, parsed(text)).code).toBe('json_malformed');
  });
});

describe('at their edges values are taken', () => {
  test.each([
    [{ duration: 600 }, { seconds: 600 }],
    [{ seconds: '0.5' }, { seconds: 0.5 }],
    [{ duration: '8', seconds: 8 }, { seconds: 8 }],
    [{ size: '16x8192' }, { width: 16, height: 8192 }],
    [
      { size: '1280x720', width: 1280, height: 720 },
      { width: 1280, height: 720 },
    ],
    [
      { width: 8192, height: 16 },
      { width: 8192, height: 16 },
    ],
    [{ size: 'auto', aspect_ratio: 'auto' }, {}],
    [{ aspect_ratio: '16:9' }, { aspectRatio: '16:9' }],
    [{ fps: 1 }, { fps: 1 }],
    [{ fps: 240 }, { fps: 240 }],
    [{ seed: -1 }, {}],
    [{ seed: 0 }, { seed: 0 }],
    [{ seed: Number.MAX_SAFE_INTEGER }, { seed: Number.MAX_SAFE_INTEGER }],
    [{ n: 10 }, { count: 10 }],
    [{ negative_prompt: '' }, {}],
    [{ negative_prompt: 'birds' }, { negativePrompt: 'birds' }],
    [{ model: null, fps: null, metadata: null, image: null }, {}],
  ] as const)('%j', (tree, expected) => {
    const body = json({ prompt: 'a', ...tree });
    checkVideo(body);
    expect(readVideo(body, 'm')).toEqual({
      value: { model: 'm', prompt: 'a', images: [], count: 1, extras: {}, ...expected },
      losses: [],
    });
  });

  test('an order with every field', () => {
    const body = json({
      model: 'sandbox-video',
      prompt: 'a boat',
      image: 'https://a.example/1.png',
      images: [{ url: png }, { image_url: { url: 'http://a.example/2.png' } }],
      last_frame: { image_url: 'https://a.example/3.png' },
      video: { url: mp4 },
      callback_url: `https://a.example/${long(2_000 - 18)}`,
      metadata: { order: '7', [long(64)]: long(512) },
      kling: { mode: 'pro', camera: { type: 'simple' } },
      user: 'u1',
      resolution: '720p',
    });
    expect(checkVideo(body)).toEqual({ model: 'sandbox-video', most: { videos: 1 } });
    const order = readVideo(body, 'upstream');
    expect(order.metadata).toEqual({ order: '7', [long(64)]: long(512) });
    expect(order.callbackUrl).toHaveLength(2_000);
    expect(order.losses.map(({ what }) => what)).toEqual(['user', 'resolution']);
    expect(order.value).toEqual({
      model: 'upstream',
      prompt: 'a boat',
      images: [
        { kind: 'url', url: 'https://a.example/1.png', field: 'image' },
        { kind: 'bytes', bytes: new Uint8Array(Buffer.from('iVBORw0KGgo=', 'base64')), mediaType: 'image/png' },
        { kind: 'url', url: 'http://a.example/2.png', field: 'images[1].image_url.url' },
      ],
      lastFrame: { kind: 'url', url: 'https://a.example/3.png', field: 'last_frame.image_url' },
      video: { kind: 'bytes', bytes: new Uint8Array(Buffer.from('AAAAIGZ0eXA=', 'base64')), mediaType: 'video/mp4' },
      count: 1,
      extras: { kling: { mode: 'pro', camera: { type: 'simple' } } },
    });
  });

  test.each([{ image: png }, { images: [png] }, { last_frame: png }, { video: mp4 }])('no prompt beside %j', (tree) => {
    expect(() => checkVideo(json(tree))).not.toThrow();
    expect(() => checkVideo(json({ ...tree, prompt: ' ' }))).not.toThrow();
    expect(readVideo(json(tree), 'm').value.prompt).toBe('');
  });
});

describe('in a form', () => {
  const bad: readonly (readonly [string, readonly string[]])[] = [
    ['duration', ['0', '-1', '601', 'NaN', 'Infinity', '1e2', '9999999', ' 5', '0x5']],
    ['fps', ['0', '241', '24.5', 'x', '1e1', '99999999999999999999']],
    ['n', ['0', '-1', '11', '1.5']],
    ['seed', ['-2', '1.5', '9007199254740992', '99999999999999999']],
    ['metadata', ['text', '[]', '{"a":', `{"a":${'['.repeat(100_000)}`, '{"a":[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]}']],
    ['size', ['1280', '720p']],
  ];
  for (const [field, values] of bad) {
    test.each(values)(`${field} %j`, (value) => {
      const body = form(['prompt', 'a'], [field, value.slice(0, 40_000)]);
      expect(faultOf(checkVideo, body)).toEqual(invalid(field));
    });
  }

  test('numbers are spelled, an empty field is absent, and lists and objects have their brackets', () => {
    const file = upload('image', 'image/png', 'a.png');
    const body = form(
      ['model', ''],
      ['prompt', 'a'],
      ['duration', '5'],
      ['n', '2'],
      ['seed', '-1'],
      ['fps', '24'],
      ['width', '1280'],
      ['height', '720'],
      ['image', file],
      ['images[]', 'https://a.example/2.png'],
      ['images[1]', 'https://a.example/3.png'],
      ['last_frame[url]', 'https://a.example/4.png'],
      ['metadata[a]', '1'],
      ['metadata[__proto__]', '2'],
      ['kling', '{"mode":"pro"}'],
      ['runway[ratio]', '16:9'],
      ['user', 'u'],
    );
    expect(checkVideo(body)).toEqual({ model: undefined, most: { videos: 2, videoSeconds: 10 } });
    const { value, losses, metadata } = readVideo(body, 'm');
    expect(value).toMatchObject({ seconds: 5, count: 2, fps: 24, width: 1280, height: 720 });
    expect(value).not.toHaveProperty('seed');
    expect(value.images.map(({ kind }) => kind)).toEqual(['file', 'url', 'url']);
    expect(value.lastFrame).toMatchObject({ url: 'https://a.example/4.png' });
    expect(value.extras).toEqual({ kling: { mode: 'pro' }, runway: { ratio: '16:9' } });
    expect(losses.map(({ what }) => what)).toEqual(['user']);
    expect(Object.keys(metadata ?? {})).toEqual(['a', '__proto__']);
  });

  test.each([
    ['image', upload('image', 'text/html', 'a.html')],
    ['image', upload('image', 'video/mp4', 'a.mp4')],
    ['image', upload('image', 'image/png', 'a.png', 0)],
    ['image', upload('image', 'image/png', 'a.png', imageBytesMax + 1)],
    ['video', upload('video', 'image/png', 'a.png')],
    ['video', upload('video', 'application/octet-stream', undefined)],
    ['prompt', upload('prompt', 'image/png', 'a.png')],
    ['metadata', upload('metadata', 'application/json', 'a.json')],
  ] as readonly (readonly [string, FormFile])[])('an upload as %s that does not fit', (field, file) => {
    expect(faultOf(checkVideo, form([field, file], ['last_frame', 'https://a.example/1.png']))).toEqual(invalid(field));
  });

  test('an upload without a type has the type of its name', () => {
    const body = form(['video', upload('video', 'application/octet-stream', 'clip.MOV')]);
    checkVideo(body);
    const { video } = readVideo(body, 'm').value;
    expect(video?.kind === 'file' ? video.file.mediaType : video).toBe('video/quicktime');
  });

  test('what must be there once', () => {
    for (const field of ['model', 'prompt', 'callback_url']) {
      const body = form(['prompt', 'a'], [field, 'https://a.example'], [field, 'https://b.example']);
      expect(faultOf(checkVideo, body)).toEqual(invalid(field));
    }
    for (const field of ['n', 'seconds', 'fps']) {
      expect(faultOf(checkVideo, form(['prompt', 'a'], [field, '1'], [field, '2']))).toEqual(invalid(field));
    }
  });
});

test('keys that every object inherits are keys like any other', () => {
  const body = parsed(
    '{"prompt":"a","__proto__":{"polluted":1},"constructor":{"x":1},"toString":5,"metadata":{"__proto__":"v","constructor":"w"}}',
  );
  checkVideo(body);
  const { value, losses, metadata } = readVideo(body, 'm');
  expect(Object.keys(value.extras)).toEqual(['constructor']);
  expect(losses.map(({ what }) => what)).toEqual(['__proto__', 'toString']);
  expect(Object.entries(metadata ?? {})).toEqual([
    ['__proto__', 'v'],
    ['constructor', 'w'],
  ]);
  expect(Object.getPrototypeOf(value.extras)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
  expect(faultOf(checkVideo, parsed('{"__proto__":{"prompt":"a"}}'))).toEqual(missing('prompt'));
});

test('the most that an order can use takes the length that the provider makes by itself', () => {
  expect(videoMost({ seconds: 5, count: 2 }, 8)).toEqual({ videoSeconds: 10, videos: 2 });
  expect(videoMost({ count: 3 }, 8)).toEqual({ videoSeconds: 24, videos: 3 });
});
