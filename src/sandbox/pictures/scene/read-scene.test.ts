/** What a prompt is read into, and what is said of it afterwards. */

import { describe, expect, test } from 'bun:test';
import { describeScene } from './describe-scene.ts';
import { readScene } from './read-scene.ts';

const named = (prompt: string, negativePrompt?: string): string[] =>
  readScene(prompt, { negativePrompt })
    .items.filter((item) => !item.implied)
    .map((item) =>
      [item.count, item.size === 'medium' ? '' : item.size, item.colour?.name ?? '', item.thing]
        .filter(Boolean)
        .join(' '),
    );

describe('things', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['three red circles', ['3 red circle']],
    ['A blue house under a yellow sun.', ['1 blue house', '1 yellow sun']],
    ['two tiny dark green pine trees and people', ['2 small dark green pine', '3 person']],
    ['a house in red', ['1 red house']],
    ['a dozen boxes', ['12 square']],
    ['a cat without a dog', ['1 cat']],
    ['a black and white photo of a dog', ['1 white dog']],
    ['stars over a castle', ['1 tower']],
    ['five yellow stars', ['5 yellow star']],
  ];
  for (const [prompt, items] of cases) test(prompt, () => expect(named(prompt)).toEqual([...items]));

  test('a negative prompt takes things away', () => {
    expect(named('a cat, a dog and trees', 'dogs, tree')).toEqual(['1 cat']);
    expect(readScene('a sunny meadow', { negativePrompt: 'clouds' }).items.map((item) => item.thing)).toEqual(['sun']);
  });
});

describe('settings', () => {
  test('words set backdrop, time, weather and terrain', () => {
    expect(readScene('three red circles').backdrop).toBe('plain');
    expect(readScene('rocket in space').backdrop).toBe('space');
    expect(readScene('melancholy').backdrop).toBe('pattern');
    expect(readScene('a cat on a blue background')).toMatchObject({
      backdrop: 'plain',
      backgroundColour: { name: 'blue' },
    });
    expect(readScene('a house, the sky is red')).toMatchObject({ backdrop: 'landscape', skyColour: { name: 'red' } });
    const night = readScene('stormy mountains by a lake at midnight');
    expect(night).toMatchObject({ backdrop: 'landscape', time: 'night', stars: true });
    expect([...night.terrain]).toEqual(['mountains', 'lake', 'meadow']);
    expect([...night.weather]).toEqual(['storm']);
    expect(readScene('a full moon').time).toBe('night');
    expect([...readScene('a boat').terrain]).toEqual(['ocean']);
  });
});

describe('what is said of it', () => {
  test('it names what was drawn, its limits and what it did not understand', () => {
    expect(describeScene(readScene('three red circles'))).toBe(
      "Drawn by the sandbox's rules, not by a model: a plain background and 3 red circles.",
    );
    expect(describeScene(readScene('a cute baby sea otter'))).toContain('not understood: "cute", "baby" and "otter"');
    const many = readScene('500 people');
    expect(many.items.find((item) => item.thing === 'person')?.count).toBe(60);
    expect(describeScene(many)).toContain('500 were asked for, 60 is the most');
  });

  test('a prompt of unknown words is named in a bounded sentence', () => {
    const words = Array.from({ length: 1_000 }, (_, index) => `zorb${index}`).join(' ');
    expect(describeScene(readScene(words)).length).toBeLessThan(600);
  });
});
