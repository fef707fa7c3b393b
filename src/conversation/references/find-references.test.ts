/** Finding what a request names: by the names of fields, anywhere, except where the application keeps its own data. */

import { expect, test } from 'bun:test';
import { type ReferenceRules, referenceFinder, referencesMax } from './find-references.ts';

const rules: ReferenceRules = {
  ids: new Map([
    ['file', 'file'],
    ['box', 'container'],
  ]),
  opaque: new Set(['own']),
  outbound: new Set(['server']),
  means: (field, value, path) => field !== 'file' || (value !== 'public' && path[0] !== 'ignored'),
  refers: ({ type }) => (type === 'reference' ? 'item' : undefined),
};

const find = referenceFinder(rules);

test('nothing named is nothing to do', () => {
  expect(find({ model: 'm', messages: [{ role: 'user', content: 'file' }] })).toBeUndefined();
});

test('texts, lists of texts, objects with an id, and objects that refer as a whole', () => {
  const found = find({
    file: 'a',
    deep: [[{ file: ['b', 'c', 1, ''] }], { box: { id: 'd', file: 'e' } }],
    list: [{ type: 'reference', id: 'f' }],
    server: 'https://x.test',
  });
  expect(found?.ids).toEqual([
    { kind: 'file', id: 'a', param: 'file' },
    { kind: 'file', id: 'b', param: 'deep[0][0].file' },
    { kind: 'file', id: 'c', param: 'deep[0][0].file' },
    { kind: 'container', id: 'd', param: 'deep[1].box' },
    { kind: 'file', id: 'e', param: 'deep[1].box.file' },
    { kind: 'item', id: 'f', param: 'list[0]' },
  ]);
  expect(found?.outbound).toEqual([{ target: 'https://x.test', param: 'server' }]);
});

test('what the rules leave out is not found', () => {
  const tree = { own: { file: 'a' }, file: 'public', ignored: { file: 'b' }, box: { name: 'c' }, deep: { file: null } };
  expect(find(tree)).toBeUndefined();
});

test('the search ends just beyond the limit, so that its caller can tell', () => {
  const found = (count: number) => find({ file: Array.from({ length: count }, (_, i) => `f${i}`) });
  expect(found(referencesMax)?.ids.length).toBe(referencesMax);
  expect(found(referencesMax + 500)?.ids.length).toBe(referencesMax + 1);
});
