import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import { carries, carriesByKind, keptWhole, readFields } from './carried-fields.ts';
import { carried, type FieldTable, fieldsOf } from './field-table.ts';
import { reportUnread } from './unread-fields.ts';

const part: FieldTable = {
  ...fieldsOf('plain', 'type text url title'),
  [carried]: carriesByKind(({ type }) => type, { text: 'type text', link: 'type url' }),
};
const table: FieldTable = {
  ...fieldsOf('plain', 'name note'),
  parts: part,
  extra: 'opaque',
  kept: fieldsOf('plain', 'a'),
  [carried]: carries('name parts extra settings kept usage', {
    inside: {
      settings: { [carried]: carries('mode', { keepsOthers: true }) },
      kept: keptWhole,
      usage: { [carried]: carries('total', { counts: true }) },
    },
  }),
};

function unread(tree: Tree, given = table, at?: readonly (string | number)[]): readonly string[] {
  const losses = new LossList();
  reportUnread(tree, given, losses, at);
  return losses.all.map(({ what }) => what);
}

test('a field is named by its path, also one that the table knows and the reader does not read', () => {
  expect(unread({ name: 'n', parts: [{ type: 'text', text: 't' }] })).toEqual([]);
  expect(unread({ note: 1, later: 2, parts: [{ type: 'text', text: 't', title: 't' }] })).toEqual([
    'note',
    'later',
    'parts[0].title',
  ]);
  expect(unread({ note: 1 }, table, ['output', 2])).toEqual(['output[2].note']);
});

test('an object is read by its kind, and one of no known kind stays whole', () => {
  const parts = [
    { type: 'text', url: 'u' },
    { type: 'link', text: 't' },
    { type: 'next', any: 1 },
    { type: 'toString' },
    {},
  ];
  expect(unread({ parts })).toEqual(['parts[0].url', 'parts[1].text']);
});

test('what is content, kept, absent or an empty list is not named', () => {
  expect(unread({ extra: { any: { depth: 1 } }, settings: { other: 1 }, kept: { b: 1 } })).toEqual([]);
  expect(unread({ note: null, later: undefined, more: [] })).toEqual([]);
  expect(unread({ parts: 'a text', settings: 'auto' })).toEqual([]);
});

test('a counter of nothing says nothing', () => {
  expect(unread({ usage: { total: 1, later: 0, more: { a: 0, b: null } } })).toEqual([]);
  expect(unread({ usage: { total: 1, later: 2, more: { a: 1 } } })).toEqual(['usage.later', 'usage.more']);
});

test('a table that says nothing of it carries its rows, and names of every object are none', () => {
  expect(unread({ a: 1, toString: 2, constructor: 3 }, fieldsOf('plain', 'a'))).toEqual(['toString', 'constructor']);
  expect(unread(JSON.parse('{"a":1,"__proto__":{"b":2}}') as Tree, fieldsOf('plain', 'a'))).toEqual(['__proto__']);
  expect([...readFields(table)]).toEqual(['name', 'parts', 'extra', 'settings', 'kept', 'usage']);
});

test('a million fields are bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 1]));
  expect(unread(many)).toHaveLength(100);
  const losses = new LossList();
  let looked = 0;
  const parts = Array.from({ length: 5_000 }, () => ({
    get type() {
      looked += 1;
      return 'text';
    },
    later: 1,
  }));
  reportUnread({ parts }, table, losses);
  expect(losses.all).toHaveLength(100);
  expect(looked).toBeLessThan(300);
});
