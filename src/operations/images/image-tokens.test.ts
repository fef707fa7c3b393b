import { expect, test } from 'bun:test';
import type { MostUse } from '../consumption.ts';
import { mostOfModel } from './image-tokens.ts';
import { openaiImagesClient } from './wires/openai-images.ts';

/** What a request of these fields is bounded by at a model. */
function imageTokens(model: string, fields: object): number | undefined {
  const tree = { model: 'm', prompt: 'p', ...fields };
  const { most } = openaiImagesClient.check({ kind: 'json', tree }, JSON.stringify(tree).length);
  return mostOfModel(most, model).tokens?.output.image;
}

test('images of the models that are known are bounded by what they are made of, for each of them', () => {
  const cases: [string, object, number][] = [
    ['gpt-image-1.5', {}, 6_240],
    ['gpt-image-1.5', { quality: 'high', size: '1024x1024' }, 4_160],
    ['openai/gpt-image-1-mini', { quality: 'low', size: '1024x1024' }, 272],
    ['gpt-image-1', { quality: 'medium', size: '1536x1024', n: 3 }, 3 * 1_584],
    ['gpt-image-1.5', { quality: 'toString', size: '1024x1024' }, 6_240],
    ['gpt-image-1', { partial_images: 2, stream: true }, 6_440],
    ['gpt-image-2', { quality: 'high', size: '1024x1024' }, 7_024],
    ['gpt-image-2', { quality: 'low', size: '1024x1024' }, 196],
    ['gemini-2.5-flash-image', { size: '1024x1024' }, 1_290],
    ['models/gemini-3-pro-image-preview', {}, 1_290],
    ['gemini-3-pro-image', { size: '4K' }, 2_000],
    ['gemini-3.1-flash-image-preview', { size: '4096x4096', n: 2 }, 5_040],
    ['gemini-3.1-flash-image', { size: '2K' }, 1_680],
    ['gemini-3.1-flash-image', { width: 4_096, height: 4_096 }, 2_520],
  ];
  for (const [model, fields, tokens] of cases)
    expect([model, fields, imageTokens(model, fields)]).toEqual([model, fields, tokens]);
});

test('a bound is never below what the published calculators say, for the shapes that they list', () => {
  // Of the second family at high quality: https://community.openai.com/t/livestream-starting-now-chatgpt-images-2-0/1379464
  for (const [size, tokens] of [
    ['1536x1024', 5_488],
    ['1792x1024', 5_063],
    ['3584x2048', 12_329],
  ] as const) {
    const bound = imageTokens('gpt-image-2', { quality: 'high', size }) ?? 0;
    expect(bound).toBeGreaterThanOrEqual(tokens);
    expect(bound).toBeLessThan(tokens * 1.1);
  }
});

test('others keep the bound that holds for all, and what is no image stays as it is', () => {
  expect(imageTokens('gpt-image-2.5-flare', { size: '1024x1024' })).toBe(8_323);
  expect(imageTokens('unknown', { quality: 'low', size: '1024x1024' })).toBe(552);
  const most: MostUse = { tokens: { input: { total: 1 }, output: { total: 2 } } };
  expect(mostOfModel(most, 'gemini-3-pro-image')).toBe(most);
});
