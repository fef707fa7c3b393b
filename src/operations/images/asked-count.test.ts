import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiImagesClient } from './wires/openai-images.ts';

const least = { model: 'm', prompt: 'a red boat' };

function outcome(fields: object): unknown {
  try {
    return openaiImagesClient.check({ kind: 'json', tree: { ...least, ...fields } }, 100).most;
  } catch (error) {
    return error instanceof GatewayError ? [error.code, error.param] : error;
  }
}

describe('the number of images', () => {
  test('under another name must not be more than `n`, in any place', () => {
    for (const fields of [
      { num_images: 2 },
      { batch_size: 4, n: 3 },
      { Num_Outputs: 2 },
      { parameters: { sampleCount: 2 } },
      { extra_body: { options: { best_of: 2 } } },
      { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 5 }, n: 4 },
    ]) {
      expect(outcome(fields)).toEqual(['field_invalid', 'n']);
    }
    expect(outcome({ n: 4, batch_size: 4 })).toMatchObject({ images: 4 });
    expect(outcome({ sequential_image_generation: 'disabled' })).toMatchObject({ images: 1 });
  });

  test('is a count, and a group of images says how many', () => {
    expect(outcome({ num_images: '2' })).toEqual(['field_invalid', 'num_images']);
    expect(outcome({ parameters: { n: 1.5 } })).toEqual(['field_invalid', 'parameters.n']);
    expect(outcome({ sequential_image_generation: 'auto' })).toEqual(['field_invalid', 'sequential_image_generation']);
  });

  test('in a form may be spelled with brackets', () => {
    const check = (name: string, value: string) =>
      openaiImagesClient.check(
        {
          kind: 'form',
          fields: [
            { name: 'model', value: 'm' },
            { name: 'prompt', value: 'p' },
            { name, value },
          ],
        },
        10,
      );
    expect(() => check('n[]', '3')).toThrow(GatewayError);
    expect(() => check('batch_size', '3')).toThrow(GatewayError);
    expect(check('n', '3').most.images).toBe(3);
  });
});

test('edges of their own count like a size', () => {
  const written = (fields: object) => {
    const { tokens } = openaiImagesClient.check({ kind: 'json', tree: { ...least, ...fields } }, 100).most;
    return tokens?.output.total;
  };
  expect(written({ width: 4_096, height: 4_096 })).toBe(written({ size: '4096x4096' }));
  expect(written({ width: 8, height: 8, size: '1024x1024' })).toBe(written({ size: '1024x1024' }));
});

test('an option that decides the price is spelled as the format spells it, in a body and in a form', () => {
  for (const name of [
    'Quality',
    'QUALITY',
    'qu\u200bality',
    'Size',
    'Model',
    'MODEL',
    'Partial-Images',
    'ſize',
    'Width',
  ]) {
    const json = { kind: 'json', tree: { ...least, [name]: 'high' } } as const;
    const fields = [...Object.entries(least), [name, 'high']].map(([field, value]) => ({
      name: String(field),
      value: String(value),
    }));
    expect(() => openaiImagesClient.check(json, 100)).toThrow('must be spelled');
    expect(() => openaiImagesClient.check({ kind: 'form', fields }, 100)).toThrow('must be spelled');
  }
});
