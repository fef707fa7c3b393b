import { describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { faultOf, form, json, upload } from '../../../test/harness/video-order-samples.ts';
import type { WireBody } from '../wire.ts';
import { checkOfficialVideo, readOfficialVideo } from './videos-client.ts';

/** What the library itself writes, as the form's fields. */
async function writtenByLibrary(params: OpenAI.VideoCreateParams): Promise<WireBody> {
  let sent: readonly (readonly [string, string | File])[] = [];
  const client = new OpenAI({
    apiKey: 'k',
    baseURL: 'http://127.0.0.1:1/v1',
    maxRetries: 0,
    fetch: async (url, init) => {
      sent = [...(await new Request(url, init).formData()).entries()];
      return Response.json({});
    },
  });
  await client.videos.create(params);
  const pairs = sent.map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    return [name, upload(name, value.type, value.name, value.size)] as const;
  });
  return form(...pairs);
}

describe("the library's orders", () => {
  test('words alone', async () => {
    const body = await writtenByLibrary({ prompt: 'a boat', model: 'sora-2', seconds: '8', size: '1280x720' });
    expect(checkOfficialVideo(body)).toEqual({ model: 'sora-2', most: { videos: 1, videoSeconds: 8 } });
    expect(readOfficialVideo(body, 'm')).toEqual({
      value: { model: 'm', prompt: 'a boat', images: [], seconds: 8, width: 1280, height: 720, count: 1, extras: {} },
      losses: [],
    });
  });

  test.each([
    ['image/png', 'a.png', 'images'],
    ['video/mp4', 'a.mp4', 'video'],
  ] as const)('an upload of %s', async (type, filename, place) => {
    const file = new File([new Uint8Array([1, 2, 3])], filename, { type });
    const body = await writtenByLibrary({ prompt: 'a', input_reference: file });
    checkOfficialVideo(body);
    const { value } = readOfficialVideo(body, 'm');
    expect(place === 'video' ? value.video : value.images[0]).toMatchObject({
      kind: 'file',
      file: { mediaType: type, filename, bytes: 3 },
    });
    expect([value.images.length, value.video === undefined]).toEqual(place === 'video' ? [0, false] : [1, true]);
  });

  test('a URL', async () => {
    const url = 'https://a.example/1.png';
    const body = await writtenByLibrary({ prompt: 'a', input_reference: { image_url: url } });
    checkOfficialVideo(body);
    expect(readOfficialVideo(body, 'm').value.images).toEqual([
      { kind: 'url', url, field: 'input_reference.image_url' },
    ]);
  });

  test("a file's id is refused with the reason", async () => {
    const body = await writtenByLibrary({ prompt: 'a', input_reference: { file_id: 'file-1' } });
    const expected = { code: 'field_invalid', status: 400, param: 'input_reference.file_id' };
    expect(faultOf(checkOfficialVideo, body)).toEqual(expected);
    expect(faultOf(checkOfficialVideo, json({ prompt: 'a', input_reference: { file_id: 'file-1' } }))).toEqual(
      expected,
    );
    expect(() => checkOfficialVideo(body)).toThrow('Weir keeps no files');
  });
});

test('JSON, with the fields of the other way', () => {
  const body = json({
    prompt: 'a',
    input_reference: { image_url: 'https://a.example/1.png' },
    image: 'https://a.example/2.png',
    duration: 5,
    n: 2,
    callback_url: 'https://a.example/told',
    metadata: { a: 'b' },
    fal: { x: 1 },
  });
  expect(checkOfficialVideo(body)).toEqual({ model: undefined, most: { videos: 2, videoSeconds: 10 } });
  const order = readOfficialVideo(body, 'm');
  expect(order).toMatchObject({ metadata: { a: 'b' }, callbackUrl: 'https://a.example/told', losses: [] });
  expect(order.value).toMatchObject({ seconds: 5, count: 2, extras: { fal: { x: 1 } } });
  expect(order.value.images.map((image) => image.kind === 'url' && image.url)).toEqual([
    'https://a.example/1.png',
    'https://a.example/2.png',
  ]);
});

test.each([
  [{}, 'prompt'],
  [{ prompt: 'a', seconds: '0' }, 'seconds'],
  [{ prompt: 'a', seconds: '4.5s' }, 'seconds'],
  [{ prompt: 'a', seconds: [] }, 'seconds'],
  [{ prompt: 'a', size: '720p' }, 'size'],
  [{ prompt: 'a', input_reference: 5 }, 'input_reference'],
  [{ prompt: 'a', input_reference: { image_url: 'ftp://a' } }, 'input_reference.image_url'],
  [{ prompt: 'a', input_reference: 'data:video/mp4;base64,AAAA', video: 'https://a.example/1.mp4' }, 'input_reference'],
] as const)('%j is refused', (tree, param) => {
  expect(faultOf(checkOfficialVideo, json(tree))).toMatchObject({ status: 400, param });
});
