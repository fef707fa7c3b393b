import { expect, test } from 'bun:test';
import { LossList } from '../../conversation/loss-list.ts';
import { areaOf, nearestShape, pixelsWithin, readSize } from './sizes.ts';

const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'];

test('pixels become the nearest shape, and every approximation is reported', () => {
  const table: readonly (readonly [string | undefined, string | undefined, string | undefined, boolean])[] = [
    [undefined, undefined, undefined, false],
    ['auto', undefined, undefined, false],
    ['1024x1024', '1:1', '1K', false],
    ['2048x2048', '1:1', '2K', false],
    ['4096x4096', '1:1', '4K', false],
    ['256x256', '1:1', '1K', true],
    ['1536x1024', '3:2', '2K', true],
    ['1024x1536', '2:3', '2K', true],
    ['1792x1024', '16:9', '2K', true],
    ['1024x1792', '9:16', '2K', true],
    ['2048x1536', '4:3', '2K', true],
    ['3840x2160', '16:9', '4K', true],
    ['8000x10', '16:9', '4K', true],
    ['16:9', '16:9', undefined, false],
    ['5:7', '3:4', undefined, true],
    ['2k', undefined, '2K', false],
  ];
  for (const [size, ratio, edge, reported] of table) {
    const losses = new LossList();
    const shape = nearestShape(size, ratios, ['1K', '2K', '4K'], losses);
    expect([size, shape.ratio, shape.edge, losses.all.length > 0]).toEqual([size, ratio, edge, reported]);
  }
});

test('a provider of pixels gets the nearest of its grid', () => {
  const grid = { step: 32, least: 256, most: 1_440 };
  const table: readonly (readonly [string, string | undefined, boolean])[] = [
    ['auto', undefined, false],
    ['1024x768', '1024x768', false],
    ['1000x1000', '992x992', true],
    ['64x4000', '256x1440', true],
    ['16:9', '1376x768', false],
    ['1K', '1024x1024', true],
  ];
  for (const [size, fitted, reported] of table) {
    const losses = new LossList();
    const pixels = pixelsWithin(size, grid, losses);
    const shown = pixels === undefined ? undefined : `${pixels.width}x${pixels.height}`;
    expect([size, shown, losses.all.length > 0]).toEqual([size, fitted, reported]);
  }
});

test('what names no size is none', () => {
  for (const text of ['', 'big', '0:1', '101:1', '8193x1', '1x1x1', '1024×1024', '3K', 'constructor']) {
    expect([text, readSize(text)]).toEqual([text, undefined]);
  }
  expect(areaOf('3840x2160')).toBe(3_840 * 2_160);
  expect(areaOf('64x64')).toBe(1_024 * 1_024);
});
