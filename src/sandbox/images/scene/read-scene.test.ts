/** What a prompt is read into, and what is said of it afterwards. */

import { describe, expect, test } from 'bun:test';
import { describeScene } from './describe-scene.ts';
import { readScene } from './read-scene.ts';

const named = (prompt: string, negativePrompt?: string): string[] =>
  readScene(prompt, { negativePrompt })
    .items.filter((item) => !item.implied)
    .map((item) =>
      [item.count, item.size === 'medium' ? '' : item.size, item.color?.name ?? '', item.thing]
        .filter(Boolean)
        .join(' '),
    );

describe('things', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['three red circles', ['3 red circle']],
    ['A blue house under a yellow sun.', ['1 blue house', '1 yellow sun']],
    ['two tiny dark green trees and boats', ['2 small dark green tree', '3 boat']],
    ['a house in red', ['1 red house']],
    ['a dozen boxes', ['12 square']],
    ['a tree without a house', ['1 tree']],
    ['stars over a cottage', ['1 house']],
    ['five yellow stars', ['5 yellow star']],
  ];
  for (const [prompt, items] of cases) test(prompt, () => expect(named(prompt)).toEqual([...items]));

  test('a negative prompt takes things away', () => {
    expect(named('a boat, a house and trees', 'houses, tree')).toEqual(['1 boat']);
    expect(readScene('a sunny meadow', { negativePrompt: 'clouds' }).items.map((item) => item.thing)).toEqual(['sun']);
  });
});

describe('settings', () => {
  test('words set backdrop, time, weather and terrain', () => {
    expect(readScene('three red circles').backdrop).toBe('plain');
    expect(readScene('a circle in space').backdrop).toBe('space');
    expect(readScene('melancholy').backdrop).toBe('pattern');
    expect(readScene('a house on a blue background')).toMatchObject({
      backdrop: 'plain',
      backgroundColor: { name: 'blue' },
    });
    expect(readScene('a house, the sky is red')).toMatchObject({ backdrop: 'landscape', skyColor: { name: 'red' } });
    const night = readScene('stormy mountains by a lake at midnight');
    expect(night).toMatchObject({ backdrop: 'landscape', time: 'night', stars: true });
    expect([...night.terrain]).toEqual(['mountains', 'sea']);
    expect(night.weather).toBe('rain');
    expect(readScene('a full moon').time).toBe('night');
    expect([...readScene('a boat').terrain]).toEqual(['sea']);
  });
});

describe('what is said of it', () => {
  test('it names what was drawn, its limits and what it did not understand', () => {
    expect(describeScene(readScene('three red circles'))).toBe(
      "Drawn by the sandbox's rules, not by a model: a plain background and 3 red circles.",
    );
    expect(describeScene(readScene('a cute baby sea otter'))).toContain('not understood: "cute", "baby" and "otter"');
    const many = readScene('500 boats');
    expect(many.items.find((item) => item.thing === 'boat')?.count).toBe(60);
    expect(describeScene(many)).toContain('500 were asked for, 60 is the most');
  });

  test('a prompt of unknown words is named in a bounded sentence', () => {
    const words = Array.from({ length: 1_000 }, (_, index) => `zorb${index}`).join(' ');
    expect(describeScene(readScene(words)).length).toBeLessThan(600);
  });
});
