/** What a messages request asks of a model, by each spelling of it. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { type Needs, noNeeds } from '../../conversation/needs.ts';
import { needsOf } from './needs.ts';

const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
const image = { type: 'image', source: { type: 'url', url: 'https://h/i.png' } };
const page = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: '' } };
const tool = { name: 'f', input_schema: { type: 'object' } };
const schema = { type: 'json_schema', schema: { type: 'object' } };

test.each<[string, Tree, Partial<Needs>]>([
  ['plain text', { messages: [{ role: 'user', content: 'image' }] }, {}],
  ['a text block', user({ type: 'text', text: 'hi' }), {}],
  ['an image', user(image), { image: true }],
  ['a document', user(page), { file: true }],
  ['a document elsewhere', user({ type: 'document', source: { type: 'file', file_id: 'f' } }), { file: true }],
  ['a document of plain text', user({ type: 'document', source: { type: 'text', data: 'hi' } }), {}],
  ['a document of blocks', user({ type: 'document', source: { type: 'content', content: [image] } }), { image: true }],
  ['a document of one text', user({ type: 'document', source: { type: 'content', content: 'hi' } }), {}],
  ['a file for a container', user({ type: 'container_upload', file_id: 'f' }), { file: true }],
  ['an image in a result', user({ type: 'tool_result', tool_use_id: 't', content: [image] }), { image: true }],
  ['a document in a result', user({ type: 'tool_result', tool_use_id: 't', content: [page] }), { file: true }],
  ['a result that is a text', user({ type: 'tool_result', tool_use_id: 't', content: 'image' }), {}],
  [
    'a call whose input mentions images',
    user({ type: 'tool_use', id: 't', name: 'f', input: { content: [image] } }),
    {},
  ],
  ['tools', { tools: [tool] }, { tools: true }],
  ['tools that must be called', { tools: [tool], tool_choice: { type: 'any' } }, { tools: true }],
  ['tools that must not be called', { tools: [tool], tool_choice: { type: 'none' } }, {}],
  ['no tools', { tools: [] }, {}],
  ['a schema', { output_config: { format: schema, effort: 'low' } }, { structured: true }],
  ['a schema by its older name', { output_format: schema }, { structured: true }],
  ['an effort alone', { output_config: { effort: 'low' } }, {}],
  [
    'everything the format has',
    { ...user(image, page), tools: [tool], output_config: { format: schema } },
    { image: true, file: true, tools: true, structured: true },
  ],
])('%s', (_, tree, needs) => {
  expect(needsOf(tree)).toEqual({ ...noNeeds, ...needs });
});

test.each<[Tree]>([
  [{}],
  [{ messages: null, tools: {}, output_config: 'json_schema', output_format: [] }],
  [{ messages: { content: [image] }, tools: 'f', tool_choice: 'none' }],
  [{ messages: [null, 1, 'x', [], { content: {} }, { content: [null, 1, 'x', [], { type: {} }] }] }],
  [{ messages: [{ content: [{ type: 'document' }, { type: 'document', source: [] }] }] }],
])('%j asks for nothing', (tree) => {
  expect(needsOf(tree)).toBe(noNeeds);
});

test('results within results end somewhere', () => {
  let block: Tree = image;
  for (let depth = 0; depth < 100_000; depth += 1) block = { type: 'tool_result', content: [block] };
  expect(needsOf(user(block))).toBe(noNeeds);
});
