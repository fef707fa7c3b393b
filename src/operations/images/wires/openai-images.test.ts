import { describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import {
  edited,
  everyOption,
  file,
  form,
  json,
  made,
  making,
  pngBase64,
  pngBytes,
  replied,
  reply,
} from '../../../../test/harness/image-samples.ts';
import { recordedFiles } from '../../../../test/harness/recordings.ts';
import { expectValid } from '../../../../test/harness/schema.ts';
import type { EditImageRequest, ImageReply } from '../../images.ts';
import type { FormField, WireBody } from '../../wire.ts';
import { streamEvents } from '../image-events.ts';
import { needsFetching } from '../images-reply.ts';
import { openaiImageEditsClient, openaiImageEditsProvider } from './openai-image-edits.ts';
import { openaiImagesClient, openaiImagesProvider } from './openai-images.ts';

const written = (value: ImageReply, request = made, how = making): Record<string, unknown> =>
  JSON.parse(openaiImagesClient.writeReply(value, request, how).body as string);

describe('requests', () => {
  test('every option is read and written back the same', () => {
    const { value, losses } = openaiImagesProvider.writeRequest(everyOption, 'any');
    expect(losses).toEqual([]);
    openaiImagesClient.check(value.body, 100);
    expect(openaiImagesClient.readRequest(value.body).value).toEqual(everyOption);
  });

  test('what only this wire knows is kept and cannot displace what Weir writes', () => {
    const body = json({ prompt: 'a', model: 'asked', complexity: 'high', svg: { model: 'm' }, size: null });
    const { value } = openaiImagesClient.readRequest(body);
    expect(value).toEqual({
      ...{ model: 'asked', prompt: 'a', count: 1, stream: false },
      extras: { format: 'openai-images', fields: { complexity: 'high', svg: { model: 'm' } } },
    });
    const out = openaiImagesProvider.writeRequest(value, 'chosen').value.body;
    expect(out).toEqual(json({ complexity: 'high', svg: { model: 'm' }, model: 'chosen', prompt: 'a' }));
  });

  test('a family of models that refuses `response_format` does not get it', () => {
    const request = { ...made, handOver: 'url' as const };
    for (const [model, passes] of [
      ['gpt-image-2', false],
      ['acme/chatgpt-image-latest', false],
      ['dall-e-3', true],
    ] as const) {
      expect(openaiImagesProvider.passes?.(request, model)).toBe(passes);
      expect(openaiImagesProvider.passes?.(made, model)).toBe(true);
      const { body } = openaiImagesProvider.writeRequest(request, model).value;
      expect(body.kind === 'json' && 'response_format' in body.tree).toBe(passes);
    }
  });

  test('an edit goes out as a form whose files are opened, not held', async () => {
    const body = form(
      ['image[]', file('image[]')],
      ['prompt', 'a'],
      ['n', '2'],
      ['markup', file('markup')],
      ['image[]', file('image[]', 'image/webp')],
    );
    const mask = { kind: 'bytes' as const, bytes: pngBytes, mediaType: 'image/png' };
    const { value } = openaiImageEditsClient.readRequest(body);
    const out = openaiImageEditsProvider.writeRequest({ ...value, mask, inputFidelity: 'high' }, 'chosen');
    expect(out.losses).toEqual([]);
    if (out.value.body.kind !== 'form') throw new Error('no form');
    const shown = out.value.body.fields.map(({ name, value: one }) => [
      name,
      typeof one === 'string' ? one : `${one.filename} ${one.mediaType} ${one.bytes}`,
    ]);
    expect(shown).toEqual([
      ['markup', `a.png image/png ${pngBytes.length}`],
      ['model', 'chosen'],
      ['prompt', 'a'],
      ['n', '2'],
      ['input_fidelity', 'high'],
      ['image[]', `a.png image/png ${pngBytes.length}`],
      ['image[]', `a.png image/webp ${pngBytes.length}`],
      ['mask', `mask.png image/png ${pngBytes.length}`],
    ]);
    const sent = out.value.body.fields.find(({ name }) => name === 'mask')?.value;
    if (typeof sent !== 'object') throw new Error('no mask');
    for (const _time of [1, 2]) expect(await Array.fromAsync(sent.open())).toEqual([pngBytes]);
  });

  test('an edit with URLs is sent as JSON', () => {
    const images = [{ image_url: 'https://a.example/b.png' }, { file_id: 'file-1' }];
    const inline = { image_url: `data:image/png;base64,${pngBase64}` };
    const body = json({ prompt: 'a', images: [...images, inline], mask: inline });
    openaiImageEditsClient.check(body, 500);
    const { value } = openaiImageEditsClient.readRequest(body);
    expect(value.images.map(({ kind }) => kind)).toEqual(['url', 'file-id', 'bytes']);
    const out = openaiImageEditsProvider.writeRequest(value, 'm');
    expect(out).toEqual({
      value: { body: json({ model: 'm', prompt: 'a', images: [...images, inline], mask: inline }) },
      losses: [],
    });
  });
});

describe('replies', () => {
  test('are valid, and hold what is known and nothing else', () => {
    const tree = written(reply);
    expectValid('ImagesResponse', tree);
    expect(tree).toEqual({
      created: 1_770_000_001,
      data: [{ b64_json: pngBase64, revised_prompt: 'a very red boat' }],
      ...{ background: 'opaque', output_format: 'png', quality: 'high', size: '1024x1024' },
      usage: {
        input_tokens: 20,
        input_tokens_details: { image_tokens: 5, text_tokens: 15 },
        output_tokens: 300,
        output_tokens_details: { image_tokens: 290, text_tokens: 10 },
        total_tokens: 320,
      },
    });
    const { createdAtMs, images } = reply;
    const plain = written({ createdAtMs, images, consumption: {}, quality: 'auto', background: 'auto', size: 'auto' });
    expectValid('ImagesResponse', plain);
    expect(Object.keys(plain)).toEqual(['created', 'data']);
  });

  test('an image becomes a URL where one is wanted and can be kept', () => {
    const kept: string[] = [];
    const keep = (data: string, mediaType: string): string => {
      kept.push(`${mediaType} ${data.length}`);
      return 'https://weir.example/kept/1';
    };
    const asked = { ...made, handOver: 'url' as const };
    expect(written(reply, asked, { ...making, keep }).data).toEqual([
      { url: 'https://weir.example/kept/1', revised_prompt: 'a very red boat' },
    ]);
    expect(kept).toEqual([`image/png ${pngBase64.length}`]);
    expect(written(reply, asked).data).toMatchObject([{ b64_json: pngBase64 }]);
    expect(written(reply, made, { ...making, keep }).data).toMatchObject([{ b64_json: pngBase64 }]);
  });

  test('a URL is fetched only where the image itself is wanted', () => {
    const url = 'https://cdn.example/1.png';
    const away: ImageReply = { ...reply, images: [{ source: { kind: 'url', url } }, ...reply.images] };
    expect(needsFetching(away, made)).toEqual([]);
    expect(needsFetching(away, { ...made, handOver: 'url' })).toEqual([]);
    expect(needsFetching(away, { ...made, handOver: 'base64' })).toEqual([url]);
    expect(needsFetching(away, { ...made, stream: true })).toEqual([url]);
    expect(needsFetching(reply, { ...made, handOver: 'base64' })).toEqual([]);
    expect(written(away, { ...made, handOver: 'base64' }).data).toMatchObject([{ url }, { b64_json: pngBase64 }]);
  });

  test('a reply of this wire suits the caller who asked for it that way', () => {
    const [address, inline] = [{ data: [{ url: 'https://a.example' }] }, { data: [{ b64_json: 'AA' }] }];
    const suits = (tree: unknown, handOver: 'url' | 'base64'): boolean | undefined =>
      openaiImagesClient.suits?.(tree, { ...made, handOver });
    expect([suits(address, 'url'), suits(inline, 'url')]).toEqual([true, false]);
    expect([suits(address, 'base64'), suits(inline, 'base64')]).toEqual([false, true]);
    expect(openaiImagesClient.suits?.(inline, made)).toBe(true);
  });

  test('writing, reading and writing again changes nothing', () => {
    const tree = written(reply);
    const { value, losses } = openaiImagesProvider.readReply(replied(tree), made, making);
    expect(losses).toEqual([]);
    expect(written(value)).toEqual(tree);
  });

  test('what is no reply is a SyntaxError, and can still be measured', () => {
    for (const tree of [null, 5, 'x', [], {}, { data: [] }, { data: [5] }, { data: [{}] }, { data: [{ url: '' }] }]) {
      expect(() => openaiImagesProvider.readReply(replied(tree), made, making)).toThrow(SyntaxError);
      expect(openaiImagesProvider.measure(tree)).toBeObject();
    }
    const odd = { data: [{}, {}], usage: { input_tokens: -5, output_tokens: 'many' } };
    expect(openaiImagesProvider.measure(odd)).toEqual({ images: 2 });
  });
});

describe('recordings', () => {
  for (const { name, text } of recordedFiles('images')) {
    const tree = JSON.parse(text());
    test(name, () => {
      if (tree.error !== undefined) {
        expect(() => openaiImagesProvider.readReply(replied(tree), made, making)).toThrow(SyntaxError);
        return;
      }
      const { value, losses } = openaiImagesProvider.readReply(replied(tree), made, making);
      expect(losses).toEqual([]);
      expect(value.consumption.images).toBe(tree.data.length);
      const again = written(value);
      expectValid('ImagesResponse', again);
      expect(again).toEqual(tree);
    });
  }
});

describe('the official library', () => {
  /** What the library sends, as Weir's form reader hands it in. */
  async function bodyOf(body: unknown, headers: Headers): Promise<WireBody> {
    const answer = new Response(body as BodyInit, { headers });
    if (!headers.get('content-type')?.startsWith('multipart/')) return json((await answer.json()) as object);
    const fields = [...(await answer.formData())].map(async ([name, value]): Promise<FormField> => {
      if (typeof value === 'string') return { name, value };
      const bytes = new Uint8Array(await (value as File).arrayBuffer());
      return { name, value: file(name, (value as File).type, bytes, (value as File).name) };
    });
    return { kind: 'form', fields: await Promise.all(fields) };
  }

  function client(answer: (body: WireBody) => { text: string; type: string }): OpenAI {
    const fetch = async (address: unknown, init?: RequestInit): Promise<Response> => {
      const request = new Request(String(address), init as RequestInit);
      const { text, type } = answer(await bodyOf(await request.arrayBuffer(), request.headers));
      return new Response(text, { headers: { 'content-type': type } });
    };
    return new OpenAI({ apiKey: 'k', baseURL: 'http://weir.example/v1', fetch: fetch as typeof globalThis.fetch });
  }

  test('its edit with several files and a mask is read, and its reply understood', async () => {
    const seen: EditImageRequest[] = [];
    const openai = client((body) => {
      openaiImageEditsClient.check(body, 100);
      const { value } = openaiImageEditsClient.readRequest(body);
      seen.push(value);
      return { text: openaiImageEditsClient.writeReply(reply, value, making).body as string, type: 'application/json' };
    });
    const upload = async (name: string): Promise<File> => OpenAI.toFile(pngBytes, name, { type: 'image/png' });
    const images = [await upload('a.png'), await upload('b.png')];
    const got = await openai.images.edit({ image: images, mask: await upload('m.png'), prompt: 'x', model: 'm', n: 2 });
    expect(got.data?.[0]?.b64_json).toBe(pngBase64);
    expect(seen[0]).toMatchObject({ model: 'm', prompt: 'x', count: 2, images: [{ kind: 'file' }, { kind: 'file' }] });
    expect(seen[0]?.mask?.kind).toBe('file');
  });

  test('it reads the events of a stream', async () => {
    const two: ImageReply = { ...reply, images: [...reply.images, ...reply.images] };
    for (const request of [
      { ...made, stream: true },
      { ...edited, stream: true },
    ]) {
      const text =
        streamEvents({ type: 'partial', index: 0, data: pngBase64 }, request, making) +
        streamEvents({ type: 'completed', reply: two }, request, making);
      const openai = client(() => ({ text, type: 'text/event-stream' }));
      const family = 'images' in request ? 'image_edit' : 'image_generation';
      const stream =
        'images' in request
          ? await openai.images.edit({ prompt: 'x', image: await OpenAI.toFile(pngBytes, 'a.png'), stream: true })
          : await openai.images.generate({ prompt: 'x', stream: true });
      const events: { readonly type: string }[] = [];
      for await (const event of stream) events.push(event);
      expect(events.map(({ type }) => type)).toEqual([
        `${family}.partial_image`,
        `${family}.completed`,
        `${family}.completed`,
      ]);
      for (const event of events) {
        expectValid(family === 'image_edit' ? 'ImageEditStreamEvent' : 'ImageGenStreamEvent', event);
      }
      const used = events.map((event) => openaiImagesProvider.measure(event));
      expect(used.map(({ images }) => images)).toEqual([undefined, 1, 1]);
      expect(used.reduce((sum, { tokens }) => sum + (tokens?.output.total ?? 0), 0)).toBe(300);
    }
  });

  test('an event of a reply with few fields is still complete', () => {
    const { createdAtMs, images } = reply;
    const text = streamEvents({ type: 'completed', reply: { createdAtMs, images, consumption: {} } }, made, making);
    const data = JSON.parse(text.split('data: ')[1] ?? '');
    expectValid('ImageGenStreamEvent', data);
    expect(data).toMatchObject({ size: 'auto', quality: 'auto', background: 'auto', output_format: 'png' });
    expect(text).toEndWith('\n\n');
  });
});
