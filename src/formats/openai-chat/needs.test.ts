/** What a chat request asks of a model, by each spelling of it. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { type Needs, noNeeds } from '../../conversation/needs.ts';
import { needsOf } from './needs.ts';

const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
const tool = { type: 'function', function: { name: 'f' } };

test.each<[string, Tree, Partial<Needs>]>([
  ['plain text', { messages: [{ role: 'user', content: 'image_url' }] }, {}],
  ['a text part', user({ type: 'text', text: 'hi' }), {}],
  ['an image', user({ type: 'image_url', image_url: { url: 'https://h/i.png' } }), { image: true }],
  ['audio', user({ type: 'input_audio', input_audio: { data: '', format: 'wav' } }), { audio: true }],
  ['a video', user({ type: 'video_url', video_url: { url: 'https://h/v.mp4' } }), { video: true }],
  ['a file', user({ type: 'file', file: { file_id: 'f' } }), { file: true }],
  [
    'media in the result of a tool',
    { messages: [{ role: 'tool', tool_call_id: 'c', content: [{ type: 'image_url', image_url: 'https://h/i' }] }] },
    { image: true },
  ],
  [
    'media of an early turn',
    { messages: [...user({ type: 'file', file: {} }).messages, { role: 'assistant', content: 'a' }] },
    { file: true },
  ],
  ['tools', { tools: [tool] }, { tools: true }],
  ['tools that may be called', { tools: [tool], tool_choice: 'auto' }, { tools: true }],
  ['tools that must not be called', { tools: [tool], tool_choice: 'none' }, {}],
  ['no tools', { tools: [], tool_choice: 'auto' }, {}],
  ['functions', { functions: [{ name: 'f' }] }, { tools: true }],
  ['functions that must not be called', { functions: [{ name: 'f' }], function_call: 'none' }, {}],
  ['a schema', { response_format: { type: 'json_schema', json_schema: {} } }, { structured: true }],
  ['any JSON', { response_format: { type: 'json_object' } }, { structured: true }],
  ['text as a format', { response_format: { type: 'text' } }, {}],
  [
    'everything',
    {
      ...user(
        { type: 'image_url' },
        { type: 'input_audio' },
        { type: 'video_url' },
        { type: 'file' },
        { type: 'text' },
      ),
      tools: [tool],
      response_format: { type: 'json_object' },
    },
    { image: true, audio: true, video: true, file: true, tools: true, structured: true },
  ],
])('%s', (_, tree, needs) => {
  expect(needsOf(tree)).toEqual({ ...noNeeds, ...needs });
});

test.each<[Tree]>([
  [{}],
  [{ messages: null, tools: {}, response_format: 'json_object' }],
  [{ messages: 'image_url', tools: 'f', response_format: [] }],
  [{ messages: [null, 1, 'x', [], { content: {} }, { content: [null, 1, 'x', [], { type: {} }] }] }],
])('%j asks for nothing', (tree) => {
  expect(needsOf(tree)).toBe(noNeeds);
});
