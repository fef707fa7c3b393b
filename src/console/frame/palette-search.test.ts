/** Proves that the palette finds what was meant, best first, and nothing by accident. */

import { describe, expect, test } from 'bun:test';
import { find } from './palette-search.ts';

const items = [
  { title: 'Overview' },
  { title: 'Tokens', keywords: 'keys access' },
  { title: 'Create token' },
  { title: 'Copy the base address', keywords: 'url endpoint' },
  { title: 'Dark' },
];
const titles = (text: string) => find(items, text).map(({ title }) => title);

describe('the palette finds', () => {
  for (const [text, found] of [
    ['', ['Overview', 'Tokens', 'Create token', 'Copy the base address', 'Dark']],
    ['  ', ['Overview', 'Tokens', 'Create token', 'Copy the base address', 'Dark']],
    ['tok', ['Tokens', 'Create token']],
    ['TOKENS', ['Tokens']],
    ['view', ['Overview']],
    ['ct', ['Create token', 'Copy the base address']],
    ['url', ['Copy the base address']],
    ['access', ['Tokens']],
    ['zzz', []],
    ['x', []],
  ] as const) {
    test(`“${text}”`, () => expect(titles(text)).toEqual([...found]));
  }
});
