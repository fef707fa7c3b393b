import { describe, expect, test } from 'bun:test';
import { edited, everyOption, made, making, pngBase64, replied } from '../../../test/harness/image-samples.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { GivenImage, ImageReply } from '../images.ts';
import type { WireBody, WrittenRequest } from '../wire.ts';
import { editImageWires, makeImageWires } from './provider-wires.ts';
import { bflEditsImages, bflMakesImages } from './wires/bfl-image.ts';
import { falEditsImages, falMakesImages } from './wires/fal-image.ts';
import { geminiEditsImages, geminiMakesImages } from './wires/gemini-generate-image.ts';
import { imagenPredict } from './wires/imagen-predict.ts';
import { openaiImagesClient } from './wires/openai-images.ts';
import { replicateEditsImages, replicateMakesImages } from './wires/replicate-image.ts';

const treeOf = ({ body }: { body: WireBody }): unknown => (body.kind === 'json' ? body.tree : body);
const names = (losses: readonly { what: string }[]): string[] => losses.map(({ what }) => what).toSorted();
const address: GivenImage = { kind: 'url', url: 'https://a.example/b.png' };
const inline = `data:image/png;base64,${pngBase64}`;

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof GatewayError ? error.code : (error as Error).name;
  }
  return 'none';
}

describe('gemini-generate-image', () => {
  test('a turn with the prompt and the images', () => {
    expect(treeOf(geminiMakesImages.writeRequest(made, 'm').value)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'a red boat' }] }],
      generationConfig: { responseModalities: ['IMAGE'] },
    });
    const { value, losses } = geminiEditsImages.writeRequest({ ...edited, size: '2048x2048', seed: 3 }, 'm');
    expect(losses).toEqual([]);
    expect(treeOf(value)).toEqual({
      contents: [
        {
          role: 'user',
          parts: [{ text: 'a red boat' }, { inlineData: { mimeType: 'image/png', data: pngBase64 } }],
        },
      ],
      generationConfig: {
        responseModalities: ['IMAGE'],
        imageConfig: { aspectRatio: '1:1', imageSize: '2K' },
        seed: 3,
      },
    });
  });

  test('unsupported options are reported', () => {
    const { losses } = geminiEditsImages.writeRequest({ ...everyOption, images: [address], mask: address }, 'm');
    expect(names(losses)).toEqual([
      ...['background', 'images[0]', 'mask', 'moderation', 'n', 'negative_prompt', 'output_compression'],
      ...['output_format', 'partial_images', 'quality', 'size', 'style', 'user'],
    ]);
  });

  const answer = (...parts: object[]): object => ({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 8,
      candidatesTokenCount: 1_290,
      thoughtsTokenCount: 10,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 8 }],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
    },
  });
  const image = { inlineData: { mimeType: 'image/png', data: pngBase64 } };

  test('the image is the answer, drafts are thoughts, words beside it are reported', () => {
    const tree = answer({ ...image, thought: true }, { text: 'Here it is.' }, image);
    const { value, losses } = geminiMakesImages.readReply(replied(tree), made, making);
    expect(value.images).toEqual([{ source: { kind: 'base64', data: pngBase64, mediaType: 'image/png' } }]);
    expect(names(losses)).toEqual(['text beside the image']);
    expect(value.consumption).toMatchObject({
      images: 1,
      tokens: { input: { total: 8 }, output: { total: 1_300, image: 1_290, thinking: 10 } },
    });
    expect(geminiMakesImages.measure(tree)).toEqual(value.consumption);
  });

  test('a refusal says why', () => {
    for (const [tree, why] of [
      [answer({ text: 'I cannot draw that.' }), 'I cannot draw that.'],
      [{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, 'PROHIBITED_CONTENT'],
      [{ candidates: [{ finishReason: 'IMAGE_SAFETY' }] }, 'IMAGE_SAFETY'],
    ] as const) {
      const read = (): unknown => geminiMakesImages.readReply(replied(tree), made, making);
      expect(codeOf(read)).toBe('upstream_refused');
      expect(read).toThrow(why);
    }
  });
});

describe('imagen-predict', () => {
  test('parameters', () => {
    const { value, losses } = imagenPredict.writeRequest({ ...everyOption, count: 3, size: '16:9' }, 'm');
    expect(treeOf(value)).toEqual({
      instances: [{ prompt: 'a red boat' }],
      parameters: {
        sampleCount: 3,
        aspectRatio: '16:9',
        outputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 },
        includeRaiReason: true,
      },
    });
    expect(names(losses)).toEqual(
      ['background', 'moderation', 'negative_prompt', 'partial_images', 'quality', 'seed', 'style', 'user'].toSorted(),
    );
    const many = imagenPredict.writeRequest({ ...made, count: 9, outputFormat: 'webp' }, 'm');
    expect(names(many.losses)).toEqual(['n', 'output_format']);
    expect(treeOf(many.value)).toMatchObject({ parameters: { sampleCount: 4 } });
  });

  test('predictions, of which some may be filtered', () => {
    const tree = {
      predictions: [
        { bytesBase64Encoded: pngBase64, mimeType: 'image/png', prompt: 'a boat, red' },
        { raiFilteredReason: 'It shows a person.' },
      ],
    };
    const { value, losses } = imagenPredict.readReply(replied(tree), made, making);
    expect(value.images[0]?.revisedPrompt).toBe('a boat, red');
    expect(value.consumption).toEqual({ images: 1 });
    expect(losses[0]?.why).toBe('It shows a person.');
    for (const empty of [{}, { predictions: [{ raiFilteredReason: 'no' }] }]) {
      expect(codeOf(() => imagenPredict.readReply(replied(empty), made, making))).toBe('upstream_refused');
    }
  });
});

describe('bfl-image', () => {
  test('pixels for most models, proportions for some, images by number', () => {
    const size = '1536x1024';
    expect(treeOf(bflMakesImages.writeRequest({ ...made, size, seed: 1 }, 'flux-2-pro').value)).toEqual({
      ...{ prompt: 'a red boat', width: 1_536, height: 1_024, seed: 1 },
    });
    const older = bflMakesImages.writeRequest({ ...made, size }, 'flux-pro-1.1');
    expect(treeOf(older.value)).toMatchObject({ width: 1_440, height: 1_024 });
    expect(names(older.losses)).toEqual(['size']);
    const images = [...edited.images, address];
    expect(treeOf(bflEditsImages.writeRequest({ ...edited, size, images }, 'flux-kontext-pro').value)).toEqual({
      ...{ prompt: 'a red boat', aspect_ratio: '3:2', input_image: pngBase64, input_image_2: address.url },
    });
  });

  test('it is polled at the URL of its reply, until the image is there', () => {
    const place = 'https://api.us1.example/v1/get_result?id=1';
    const later = (tree: object): unknown => bflMakesImages.later?.(replied(tree, place), edited, 'm');
    expect(bflMakesImages.later?.(replied({ id: '1', polling_url: place }), edited, 'm')).toEqual({
      url: place,
      afterMs: 500,
    });
    expect(later({ id: '1', status: 'Pending', result: null })).toEqual({ url: place, afterMs: 500 });
    const done = { id: '1', status: 'Ready', result: { sample: 'https://cdn.example/1.jpg', seed: 5 } };
    expect(later(done)).toBeUndefined();
    const { value } = bflMakesImages.readReply(replied(done), made, making);
    expect(value.images).toEqual([{ source: { kind: 'url', url: 'https://cdn.example/1.jpg' } }]);
    const moderated = { status: 'Content Moderated', details: { 'Moderation Reasons': ['x'] } };
    expect(codeOf(() => later(moderated))).toBe('upstream_refused');
    for (const status of ['Error', 'Failed', 'Task not found'])
      expect(codeOf(() => later({ status }))).toBe('upstream_failed');
    expect(codeOf(() => bflMakesImages.later?.(replied({ status: 'Pending' }), edited, 'm'))).toBe('SyntaxError');
  });
});

describe('replicate-image', () => {
  test('a model is called by its path, or by its version', () => {
    const named = replicateMakesImages.writeRequest({ ...everyOption, size: '1:1' }, 'acme/painter one').value;
    expect(named.suffix).toBe('/models/acme/painter%20one/predictions');
    expect(named.headers).toEqual({ prefer: 'wait' });
    expect(treeOf(named)).toEqual({
      input: {
        ...{ prompt: 'a red boat', aspect_ratio: '1:1', num_outputs: 2, seed: 7, negative_prompt: 'no birds' },
        ...{ output_format: 'jpg', output_quality: 80 },
      },
    });
    const versioned: WrittenRequest = replicateMakesImages.writeRequest(made, 'acme/painter:abc').value;
    expect(versioned.suffix).toBe('/predictions');
    expect(treeOf(versioned)).toEqual({ version: 'abc', input: { prompt: 'a red boat' } });
  });

  test('images go into the field of the model', () => {
    const request = { ...edited, images: [...edited.images, address] };
    const input = (model: string): unknown => treeOf(replicateEditsImages.writeRequest(request, model).value);
    expect(input('acme/flux-2-pro')).toMatchObject({ input: { input_images: [inline, address.url] } });
    expect(input('acme/flux-kontext-max')).toMatchObject({ input: { input_image: inline } });
    expect(input('acme/other')).toMatchObject({ input: { image: inline } });
    expect(names(replicateEditsImages.writeRequest(request, 'acme/other').losses)).toEqual(['images[1]']);
  });

  test('a prediction is asked for until it ends', () => {
    const urls = { get: 'https://api.example/v1/predictions/1' };
    const later = (tree: object): unknown => replicateMakesImages.later?.(replied(tree), edited, 'm');
    expect(later({ status: 'starting', urls })).toEqual({ url: urls.get, afterMs: 1_000 });
    expect(later({ status: 'processing', urls, output: null })).toEqual({ url: urls.get, afterMs: 1_000 });
    expect(later({ status: 'processing', urls, output: ['https://cdn.example/1.png'] })).toBeUndefined();
    expect(codeOf(() => later({ status: 'failed', error: 'NSFW content detected.' }))).toBe('upstream_refused');
    expect(codeOf(() => later({ status: 'failed', error: 'CUDA out of memory' }))).toBe('upstream_failed');
    expect(codeOf(() => later({ status: 'canceled' }))).toBe('upstream_failed');
    for (const output of ['https://cdn.example/1.png', ['https://cdn.example/1.png'], inline]) {
      const done = { status: 'succeeded', output, urls };
      expect(later(done)).toBeUndefined();
      const { value } = replicateMakesImages.readReply(replied(done), made, making);
      expect(value.images[0]?.source.kind).toBe(output === inline ? 'base64' : 'url');
    }
  });
});

describe('fal-image', () => {
  test('pixels, count and images', () => {
    const request = { ...edited, size: '1024x768', count: 2, images: [...edited.images, address] };
    expect(treeOf(falMakesImages.writeRequest({ ...made, size: '1024x768', count: 2 }, 'acme/flux/dev').value)).toEqual(
      {
        ...{ prompt: 'a red boat', image_size: { width: 1_024, height: 768 }, num_images: 2 },
      },
    );
    const several = falEditsImages.writeRequest(request, 'acme/flux-2/edit');
    expect(treeOf(several.value)).toMatchObject({ image_urls: [inline, address.url] });
    const one = falEditsImages.writeRequest(request, 'acme/flux/dev/image-to-image');
    expect(treeOf(one.value)).toMatchObject({ image_url: inline });
    expect(names(one.losses)).toEqual(['images[1]']);
  });

  test('from the ticket to its state, from the state to the image', () => {
    const places = { status_url: 'https://q.example/1/status', response_url: 'https://q.example/1' };
    const later = (tree: object): unknown =>
      falMakesImages.later?.(replied(tree, 'https://asked.example'), edited, 'm');
    expect(later({ request_id: '1', status: 'IN_QUEUE', ...places })).toEqual({ url: places.status_url, afterMs: 500 });
    expect(later({ status: 'IN_PROGRESS' })).toEqual({ url: 'https://asked.example', afterMs: 500 });
    expect(later({ status: 'COMPLETED', ...places })).toEqual({ url: places.response_url, afterMs: 0 });
    expect(codeOf(() => later({ status: 'COMPLETED', error: 'Runner died', ...places }))).toBe('upstream_failed');
    for (const tree of [{ images: [{ url: 'https://cdn.example/1.png' }] }, { image: { url: inline } }]) {
      expect(later(tree)).toBeUndefined();
      expect(falMakesImages.readReply(replied(tree), made, making).value.images).toHaveLength(1);
    }
  });
});

describe('every wire', () => {
  const wires = [...makeImageWires, ...editImageWires];
  const odd: readonly unknown[] = [
    ...[undefined, null, 0, 'x', [], {}, { data: 5 }, { candidates: 5 }, { candidates: [null] }, { predictions: [5] }],
    ...[{ candidates: [{ content: { parts: [null, 5, { inlineData: {} }] } }] }, { result: [] }, { output: [{}] }],
    ...[{ images: [null, { url: 5 }] }, { status: {} }, { status: 'processing' }, { status: 'IN_QUEUE' }],
  ];

  test('meets what is no reply with a SyntaxError or a GatewayError, and measures it', () => {
    for (const wire of wires) {
      for (const tree of odd) {
        expect([wire.name, codeOf(() => wire.readReply(replied(tree), edited, making))]).toEqual([
          wire.name,
          expect.stringMatching(/^(SyntaxError|upstream_refused)$/),
        ]);
        expect(wire.measure(tree)).toBeObject();
        expect(codeOf(() => wire.later?.(replied(tree), edited, 'm'))).toMatch(/^(none|SyntaxError|upstream_failed)$/);
      }
    }
  });

  const replies: Readonly<Record<string, object>> = {
    'openai-images': { created: 5, data: [{ b64_json: pngBase64 }] },
    'openai-image-edits': { created: 5, data: [{ url: 'https://cdn.example/1.png' }] },
    'gemini-generate-image': { candidates: [{ content: { parts: [{ inlineData: { data: pngBase64 } }] } }] },
    'imagen-predict': { predictions: [{ bytesBase64Encoded: pngBase64 }] },
    'bfl-image': { status: 'Ready', result: { sample: 'https://cdn.example/1.png' } },
    'replicate-image': { status: 'succeeded', output: 'https://cdn.example/1.png' },
    'fal-image': { images: [{ url: 'https://cdn.example/1.png' }] },
    'stability-image': { image: pngBase64, finish_reason: 'SUCCESS', seed: 1 },
    'dream-machine-image': { state: 'completed', assets: { image: 'https://cdn.example/1.png' } },
    'luma-image': { state: 'completed', output: [{ type: 'image', url: 'https://cdn.example/1.png' }] },
  };

  test("reads its provider's reply so that the caller's wire can say it, and counts the same either way", () => {
    for (const wire of wires) {
      const tree = replies[wire.name];
      const { value }: { value: ImageReply } = wire.readReply(replied(tree), edited, making);
      expect([wire.name, value.consumption.images]).toEqual([wire.name, 1]);
      expect(wire.measure(tree).images).toBe(1);
      const body = JSON.parse(openaiImagesClient.writeReply(value, made, making).body as string);
      expect(Object.keys(body.data[0])).toEqual([value.images[0]?.source.kind === 'url' ? 'url' : 'b64_json']);
    }
  });

  test('carries or reports every option', () => {
    const said = ['size', 'quality', 'style', 'background', 'output_format', 'output_compression', 'moderation'];
    const fields = [...said, 'seed', 'negative_prompt', 'user', 'partial_images'];
    const words: Readonly<Record<string, RegExp>> = {
      size: /size|aspect_?ratio|width/i,
      output_format: /output_format|mimeType/,
      output_compression: /output_compression|output_quality|compressionQuality/,
      user: /"user(_id)?"/,
    };
    for (const wire of makeImageWires) {
      const { value, losses } = wire.writeRequest(everyOption, 'm');
      const body = JSON.stringify(treeOf(value));
      for (const field of fields) {
        const carried = (words[field] ?? new RegExp(`"${field}"`)).test(body);
        const reported = losses.some(({ what }) => what === field);
        expect([wire.name, field, carried || reported]).toEqual([wire.name, field, true]);
      }
    }
  });

  test("reports another wire's own fields", () => {
    const extras = { format: 'openai-images', fields: { complexity: 'high' } };
    for (const wire of makeImageWires) {
      const lost = names(wire.writeRequest({ ...made, extras }, 'm').losses);
      expect([wire.name, lost]).toEqual([wire.name, wire.name === 'openai-images' ? [] : ['complexity']]);
    }
  });
});
