/** What a responses request asks of a model, by each spelling of it. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { type Needs, noNeeds } from '../../conversation/needs.ts';
import { needsOf } from './needs.ts';

const user = (...content: unknown[]) => ({ input: [{ role: 'user', content }] });
const image = { type: 'input_image', image_url: 'https://h/i.png' };
const tool = { type: 'function', name: 'f' };

test.each<[string, Tree, Partial<Needs>]>([
  ['a text', { input: 'input_image' }, {}],
  ['a text part', user({ type: 'input_text', text: 'hi' }), {}],
  ['an image', user(image), { image: true }],
  ['audio', user({ type: 'input_audio', input_audio: {} }), { audio: true }],
  ['a video', user({ type: 'input_video', video_url: 'https://h/v' }), { video: true }],
  ['a file', user({ type: 'input_file', file_id: 'f' }), { file: true }],
  [
    'an image in a result',
    { input: [{ type: 'function_call_output', call_id: 'c', output: [image] }] },
    { image: true },
  ],
  ['a result that is a text', { input: [{ type: 'function_call_output', call_id: 'c', output: 'input_image' }] }, {}],
  [
    'a screenshot',
    { input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: 'data:' } }] },
    { image: true },
  ],
  [
    'a custom tool that gives a file',
    { input: [{ type: 'custom_tool_call_output', output: [{ type: 'input_file' }] }] },
    { file: true },
  ],
  ['tools', { tools: [tool] }, { tools: true }],
  ['tools of the provider', { tools: [{ type: 'web_search' }], tool_choice: 'required' }, { tools: true }],
  ['tools that must not be called', { tools: [tool], tool_choice: 'none' }, {}],
  ['no tools', { tools: [] }, {}],
  ['tools among the items', { input: [{ type: 'additional_tools', tools: [tool] }] }, { tools: true }],
  ['no tools among the items', { input: [{ type: 'additional_tools', tools: [] }] }, {}],
  ['a schema', { text: { format: { type: 'json_schema', schema: {} } } }, { structured: true }],
  ['any JSON', { text: { format: { type: 'json_object' } } }, { structured: true }],
  ['plain text as a format', { text: { format: { type: 'text' }, verbosity: 'low' } }, {}],
  [
    'everything, with tools behind the last medium',
    {
      input: [
        ...user(image, { type: 'input_audio' }, { type: 'input_video' }, { type: 'input_file' }).input,
        { type: 'additional_tools', tools: [tool] },
      ],
      text: { format: { type: 'json_object' } },
    },
    { image: true, audio: true, video: true, file: true, tools: true, structured: true },
  ],
])('%s', (_, tree, needs) => {
  expect(needsOf(tree)).toEqual({ ...noNeeds, ...needs });
});

test.each<[Tree]>([
  [{}],
  [{ input: null, tools: {}, text: 'json_object' }],
  [{ input: { content: [image] }, tools: 'f', text: { format: null } }],
  [{ input: [null, 1, 'x', [], { content: 5, output: null }, { content: [null, 1, 'x', [], { type: {} }] }] }],
])('%j asks for nothing', (tree) => {
  expect(needsOf(tree)).toBe(noNeeds);
});
