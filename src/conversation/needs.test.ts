/** What is collected while reading, and that nothing found costs nothing. */

import { expect, test } from 'bun:test';
import { MediaNeeds, noNeeds } from './needs.ts';

test('nothing found is the one shared object, which is frozen', () => {
  expect(new MediaNeeds().with(false, false)).toBe(noNeeds);
  expect(Object.isFrozen(noNeeds)).toBe(true);
});

test('each kind is remembered by itself, and all four are complete', () => {
  const kinds = ['image', 'audio', 'video', 'file'] as const;
  const all = new MediaNeeds();
  for (const kind of kinds) {
    expect(all.complete).toBe(false);
    all.add(kind);
    const only = new MediaNeeds();
    only.add(kind);
    expect(only.with(false, false)).toEqual({ ...noNeeds, [kind]: true });
  }
  expect(all.complete).toBe(true);
  expect(new MediaNeeds().with(true, false)).toEqual({ ...noNeeds, tools: true });
  expect(new MediaNeeds().with(false, true)).toEqual({ ...noNeeds, structured: true });
});
