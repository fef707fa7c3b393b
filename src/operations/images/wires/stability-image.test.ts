import { describe, expect, test } from 'bun:test';
import { edited, everyOption, file, made, making, pngBase64, replied } from '../../../../test/harness/image-samples.ts';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import type { EditImageRequest, MakeImageRequest } from '../../images.ts';
import type { WrittenRequest } from '../../wire.ts';
import { stabilityEditsImages, stabilityMakesImages } from './stability-image.ts';
import { stabilityEditing } from './stability-services.ts';

function fieldsOf({ body }: WrittenRequest): Record<string, string> {
  const fields = body.kind === 'form' ? body.fields : [];
  return Object.fromEntries(fields.map(({ name, value }) => [name, typeof value === 'string' ? value : '(file)']));
}

function making1(request: Partial<MakeImageRequest>, model: string) {
  const { value, losses } = stabilityMakesImages.writeRequest({ ...made, ...request }, model);
  return { place: value.suffix, fields: fieldsOf(value), lost: losses.map(({ what }) => what).toSorted(), value };
}

function editing(request: Partial<EditImageRequest>, model: string) {
  const { value, losses } = stabilityEditsImages.writeRequest({ ...edited, ...request }, model);
  return { place: value.suffix, fields: fieldsOf(value), lost: losses.map(({ what }) => what).toSorted() };
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof GatewayError ? error.code : (error as Error).name;
  }
  return 'none';
}

describe('from words', () => {
  test.each([
    ['stable-image-core', '/generate/core', {}],
    ['core', '/generate/core', {}],
    ['stable-image-ultra', '/generate/ultra', {}],
    ['sd3.5-large-turbo', '/generate/sd3', { model: 'sd3.5-large-turbo' }],
    ['sd3', '/generate/sd3', {}],
    ['another/one', '/generate/another%2Fone', {}],
  ])('%s has its place', (model, place, more) => {
    expect(making1({}, model)).toMatchObject({ place, fields: { prompt: 'a red boat', ...more }, lost: [] });
  });

  test('asks for JSON, since bytes would not report a filter', () => {
    expect(making1({}, 'core').value.headers).toEqual({ accept: 'application/json' });
  });

  test('writes every supported option, and reports the others', () => {
    const { fields, lost } = making1({ ...everyOption, style: 'anime', size: '1792x1024' }, 'core');
    expect(fields).toEqual({
      prompt: 'a red boat',
      negative_prompt: 'no birds',
      aspect_ratio: '16:9',
      seed: '7',
      style_preset: 'anime',
      output_format: 'jpeg',
    });
    expect(lost).toEqual([
      ...['background', 'moderation', 'n', 'output_compression', 'partial_images', 'quality', 'size', 'user'],
    ]);
    expect(making1({ style: 'vivid', seed: -1, outputFormat: 'webp' }, 'sd3.5-medium').lost).toEqual([
      'output_format',
      'seed',
      'style',
    ]);
  });

  test('takes what only the service has a name for, under that name', () => {
    const extras = { format: 'openai-images', fields: { cfg_scale: 7, complexity: 'high', seed_of: {} } };
    const { fields, lost } = making1({ extras }, 'sd3.5-large');
    expect([fields['cfg_scale'], lost]).toEqual(['7', ['complexity', 'seed_of']]);
    expect(making1({ extras }, 'core').fields).not.toHaveProperty('cfg_scale');
  });

  test('a service that changes images makes none', () => {
    expect(codeOf(() => making1({}, 'inpaint'))).toBe('operation_unsupported');
    expect(codeOf(() => editing({}, 'stable-image-core'))).toBe('operation_unsupported');
    expect(codeOf(() => making1({}, '..'))).toBe('field_invalid');
  });
});

describe('from images', () => {
  const upload = { kind: 'file', file: file('image') } as const;

  test('a model that also makes images gets a strength', () => {
    expect(editing({}, 'sd3.5-large').fields).toEqual({
      mode: 'image-to-image',
      strength: '0.5',
      model: 'sd3.5-large',
      prompt: 'a red boat',
      image: '(file)',
    });
    const extras = { format: 'openai-image-edits', fields: { strength: '0.8' } };
    expect(editing({ extras }, 'ultra')).toMatchObject({ fields: { strength: '0.8' }, lost: [] });
  });

  test('a mask is sent, and that it is read differently is reported', () => {
    const { place, fields, lost } = editing({ mask: upload }, 'inpaint');
    expect([place, fields['mask'], lost]).toEqual(['/edit/inpaint', '(file)', ['mask']]);
    expect(editing({ mask: upload }, 'sketch')).toMatchObject({ place: '/control/sketch', lost: ['mask'] });
    expect(editing({ mask: upload }, 'sketch').fields).not.toHaveProperty('mask');
  });

  test('a second image has a place where the service has one for it', () => {
    const images = [upload, upload];
    expect(editing({ images }, 'style-transfer').fields).toMatchObject({ init_image: '(file)', style_image: '(file)' });
    expect(editing({ images }, 'structure').lost).toEqual(['images[1]']);
  });

  test('services without words report the prompt', () => {
    for (const [model, place] of [
      ['fast', '/upscale/fast'],
      ['remove-background', '/edit/remove-background'],
      ['erase', '/edit/erase'],
    ] as const) {
      expect(editing({}, model)).toEqual({ place, fields: { image: '(file)' }, lost: ['prompt'] });
    }
    expect(editing({ outputFormat: 'jpeg' }, 'remove-background').lost).toEqual(['output_format', 'prompt']);
  });

  test('what to look for has a field of its own', () => {
    const extras = { format: 'openai-image-edits', fields: { search_prompt: 'the boat', left: 5 } };
    expect(editing({ extras }, 'search-and-replace')).toMatchObject({
      fields: { search_prompt: 'the boat' },
      lost: ['left'],
    });
    expect(editing({ extras }, 'outpaint')).toMatchObject({ fields: { left: '5' }, lost: ['search_prompt'] });
  });

  test('every service takes at least one image', () => {
    expect(stabilityEditing.filter(({ images }) => images.length === 0)).toEqual([]);
  });
});

describe('a reply', () => {
  const read = (tree: unknown) => stabilityMakesImages.readReply(replied(tree), made, making).value;

  test('is one image', () => {
    const tree = { image: pngBase64, finish_reason: 'SUCCESS', seed: 7 };
    expect(read(tree)).toEqual({
      createdAtMs: making.nowMs,
      images: [{ source: { kind: 'base64', data: pngBase64, mediaType: 'image/png' } }],
      consumption: { images: 1 },
    });
    expect([stabilityMakesImages.measure(tree), stabilityMakesImages.measure({})]).toEqual([
      { images: 1 },
      { images: 0 },
    ]);
  });

  test('that was filtered is a refusal, though an image comes with it', () => {
    const tree = { image: pngBase64, finish_reason: 'CONTENT_FILTERED', seed: 7 };
    expect(codeOf(() => read(tree))).toBe('upstream_refused');
    expect(codeOf(() => read({ finish_reason: 'SUCCESS' }))).toBe('SyntaxError');
  });
});
