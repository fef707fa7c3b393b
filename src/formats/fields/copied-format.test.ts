import { expect, test } from 'bun:test';
import { type CopiedFormat, droppedBy } from './copied-format.ts';

const copied: CopiedFormat = {
  source: 'https://x.example',
  checked: '2026-11-20',
  takes: {
    model: true,
    store: [false],
    choice: ['auto'],
    turns: { role: ['user'], content: { type: ['text'], text: true } },
    tools: { '*': true, type: ['function'], strict: false },
  },
};
const dropped = (tree: Record<string, unknown>) => droppedBy(copied, tree).map(({ what }) => what);

test('what is taken, absent or empty is not dropped', () => {
  expect(dropped({ model: { any: 'shape' }, store: false, other: null, extra: [], choice: 'auto' })).toEqual([]);
  expect(dropped({ turns: [{ role: 'user', content: 'short' }] })).toEqual([]);
  expect(dropped({ turns: [{ content: [{ text: 'x' }, { type: 'text', text: 'y' }] }], tools: [] })).toEqual([]);
  expect(dropped({ tools: [{ name: 'f', parameters: { strict: true } }] })).toEqual([]);
});

test('everything else is, by its path and value, each once', () => {
  expect(dropped({ store: true, other: 0, choice: { name: 'f' } })).toEqual(['store true', 'other', 'choice']);
  const file = { type: 'file', file_id: 'f' };
  expect(dropped({ turns: [{ role: 'system', content: [file, file] }] })).toEqual([
    'turns.role system',
    'turns.content.type file',
    'turns.content.file_id',
  ]);
  expect(dropped({ tools: [{ type: 'mcp', strict: true }] })).toEqual(['tools.type mcp', 'tools.strict']);
  expect(dropped({ constructor: 1 })).toEqual(['constructor']);
});

test('a body of many unknown fields is named within bounds', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, index]));
  expect(dropped(many)).toHaveLength(20);
});
