/** What a content-generation request asks of a model, by each spelling of it. */

import { expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import { type Needs, noNeeds } from '../../conversation/needs.ts';
import { needsOf } from './needs.ts';

const user = (...parts: unknown[]) => ({ contents: [{ role: 'user', parts }] });
const inline = (mimeType: string) => ({ inlineData: { mimeType, data: '' } });
const declared = { functionDeclarations: [{ name: 'f' }] };
const off = { functionCallingConfig: { mode: 'NONE' } };

test.each<[string, Tree, Partial<Needs>]>([
  ['a text', user({ text: 'inlineData' }), {}],
  ['an image', user(inline('image/png')), { image: true }],
  ['audio', user(inline('audio/wav')), { audio: true }],
  ['a video', user({ fileData: { mimeType: 'video/mp4', fileUri: 'https://h/v' } }), { video: true }],
  ['a file', user(inline('application/pdf')), { file: true }],
  ['a file of no type', user({ fileData: { fileUri: 'https://h/f' } }), { file: true }],
  ['snake case', user({ inline_data: { mime_type: 'IMAGE/PNG', data: '' } }), { image: true }],
  ['one part, one content', { contents: { parts: inline('image/png') } }, { image: true }],
  [
    'an image in an answer',
    user({ functionResponse: { name: 'f', response: {}, parts: [inline('image/png')] } }),
    { image: true },
  ],
  ['tools', { tools: [declared] }, { tools: true }],
  ['tools in snake case', { tools: { function_declarations: [{ name: 'f' }] } }, { tools: true }],
  ['functions that must not be called', { tools: [declared], toolConfig: off }, {}],
  [
    'functions that must not be called, in snake case',
    { tools: [declared], tool_config: { function_calling_config: { mode: 'none' } } },
    {},
  ],
  ["the provider's own tool, whatever the mode", { tools: [{ googleSearch: {} }], toolConfig: off }, { tools: true }],
  ['no functions', { tools: [{ functionDeclarations: [] }] }, {}],
  ['no tools', { tools: [{}, { codeExecution: null }] }, {}],
  ['JSON', { generationConfig: { responseMimeType: 'application/json' } }, { structured: true }],
  ['a word out of a list', { generationConfig: { responseMimeType: 'text/x.enum' } }, { structured: true }],
  ['a schema', { generationConfig: { responseSchema: {} } }, { structured: true }],
  ['a JSON schema', { generation_config: { response_json_schema: {} } }, { structured: true }],
  ['plain text', { generationConfig: { responseMimeType: 'text/plain' } }, {}],
  [
    'everything',
    {
      ...user(inline('image/a'), inline('audio/a'), inline('video/a'), inline('text/a'), { text: 'hi' }),
      tools: [declared],
      generationConfig: { responseSchema: {} },
    },
    { image: true, audio: true, video: true, file: true, tools: true, structured: true },
  ],
])('%s', (_, tree, needs) => {
  expect(needsOf(tree)).toEqual({ ...noNeeds, ...needs });
});

test.each<[Tree]>([
  [{}],
  [{ contents: null, tools: 5, generationConfig: 'application/json', toolConfig: [] }],
  [{ contents: 'x', tools: [null, 5], generationConfig: { responseMimeType: 5 } }],
  [{ contents: [null, 1, 'x', [], { parts: 5 }, { parts: [null, 1, 'x', [], { inlineData: 5 }] }] }],
  [{ contents: [{ parts: [{ functionResponse: 5 }, { functionResponse: { parts: [null, 5] } }] }] }],
])('%j asks for nothing', (tree) => {
  expect(needsOf(tree)).toBe(noNeeds);
});
