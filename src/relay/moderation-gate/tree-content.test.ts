/** What is moderated of a request: every text in the body, in any field of any format, and nothing that only looks like one. */

import { describe, expect, test } from 'bun:test';
import { compactedItem } from '../../formats/openai-responses/compaction/compacted-item.ts';
import { readRequest } from '../../formats/openai-responses/read/request.ts';
import { contentOfTree } from './tree-content.ts';

const ask = { role: 'user', content: 'continue' };
const chat = (fields: object) => ({ model: 'm', messages: [ask], ...fields });

/** Each holds the word EVIL somewhere that a model reads. */
const places: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'an earlier turn': chat({ messages: [{ role: 'user', content: 'EVIL' }, { role: 'assistant', content: 'ok' }, ask] }),
  'an earlier answer': chat({ messages: [ask, { role: 'assistant', content: 'EVIL' }, ask] }),
  'the system prompt': chat({ messages: [{ role: 'system', content: 'EVIL' }, ask] }),
  'a part of a message': chat({ messages: [{ role: 'user', content: [{ type: 'text', text: 'EVIL' }] }] }),
  'an unknown part': chat({ messages: [{ role: 'user', content: [{ type: 'new', words: { deep: ['EVIL'] } }] }] }),
  'an unknown field': chat({ hint_to_model: 'EVIL' }),
  'the name of a speaker': chat({ messages: [{ ...ask, name: 'EVIL' }] }),
  'a role': chat({ messages: [{ role: 'EVIL one', content: 'x' }] }),
  'the name of a tool': chat({ tools: [{ type: 'function', function: { name: 'EVIL' } }] }),
  'the description of a tool': chat({ tools: [{ type: 'function', function: { name: 'f', description: 'EVIL' } }] }),
  'the description of a parameter': chat({
    tools: [{ type: 'function', function: { parameters: { properties: { a: { description: 'EVIL' } } } } }],
  }),
  'the name of a parameter': chat({
    tools: [{ type: 'function', function: { parameters: { properties: { EVIL: { type: 'string' } } } } }],
  }),
  'a choice of a parameter': chat({ tools: [{ function: { parameters: { properties: { a: { enum: ['EVIL'] } } } } }] }),
  'a schema of the reply': chat({ response_format: { type: 'json_schema', json_schema: { description: 'EVIL' } } }),
  'a prediction': chat({ prediction: { type: 'content', content: 'EVIL' } }),
  'the arguments of a call': chat({
    messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":"EVIL"}' } }] }],
  }),
  'escaped arguments of a call': chat({
    messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{"a":"\\u0045VIL"}' } }] }],
  }),
  'the result of a tool': chat({ messages: [{ role: 'tool', tool_call_id: 'c', content: 'EVIL' }] }),
  'a stop sequence': chat({ stop: ['EVIL'] }),
  'words in the place of a name': chat({ user: 'do EVIL' }),
  'the system field': { model: 'm', system: 'EVIL', messages: [ask] },
  'a block of the system field': { system: [{ type: 'text', text: 'EVIL', cache_control: { type: 'ephemeral' } }] },
  'a tool of the messages format': { tools: [{ name: 'f', input_schema: { properties: { a: { title: 'EVIL' } } } }] },
  'the input of a tool use': { messages: [{ content: [{ type: 'tool_use', id: 't', input: { EVIL: 1 } }] }] },
  'a tool result of blocks': { messages: [{ content: [{ type: 'tool_result', content: [{ text: 'EVIL' }] }] }] },
  'a text document': {
    messages: [{ content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'EVIL' } }] }],
  },
  'an encoded text document': {
    messages: [{ content: [{ source: { type: 'base64', media_type: 'text/plain', data: btoa('EVIL') } }] }],
  },
  instructions: { model: 'm', instructions: 'EVIL', input: 'continue' },
  'an input of text': { input: 'EVIL' },
  'an earlier item': { input: [{ role: 'user', content: [{ type: 'input_text', text: 'EVIL' }] }, 'continue'] },
  'the output of a call': { input: [{ type: 'function_call_output', call_id: 'c', output: 'EVIL' }] },
  'a summary of thoughts': { input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'EVIL' }] }] },
  'a format of text': { text: { format: { type: 'json_schema', schema: { properties: { EVIL: {} } } } } },
  'a system instruction': { systemInstruction: { parts: [{ text: 'EVIL' }] } },
  'a content part': { contents: [{ role: 'user', parts: [{ text: 'EVIL' }] }] },
  'a function declaration': { tools: [{ functionDeclarations: [{ name: 'f', description: 'EVIL' }] }] },
  'a function response': { contents: [{ parts: [{ functionResponse: { name: 'f', response: { a: 'EVIL' } } }] }] },
  'inline text': { contents: [{ parts: [{ inlineData: { mimeType: 'text/csv', data: btoa('EVIL') } }] }] },
  'a response schema': { generationConfig: { responseSchema: { properties: { a: { description: 'EVIL' } } } } },
  'a prompt': { prompt: 'EVIL' },
  'one of many prompts': { prompt: ['a', 'EVIL'] },
  'what to speak': { model: 'm', voice: 'alto', input: 'EVIL', instructions: 'slowly' },
  'how to speak': { model: 'm', voice: 'alto', input: 'a', instructions: 'EVIL' },
  'a negative prompt': { prompt: 'a', negative_prompt: 'EVIL' },
  'a document to rank': { query: 'a', documents: [{ text: 'EVIL' }] },
};

describe('checked', () => {
  test.each(Object.entries(places))('%s', (_name, tree) => {
    expect(contentOfTree(tree).segments.join('\n')).toContain('EVIL');
  });

  test('each turn and each tool by itself', () => {
    const tree = {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      tools: [{ name: 'c' }],
    };
    expect(contentOfTree(tree).segments).toEqual(['a', 'b', 'c']);
  });

  test('not the words of the protocol', () => {
    const tree = {
      ...chat({
        stream: true,
        tool_choice: 'auto',
        reasoning_effort: 'high',
        user: 'u-1',
        response_format: { type: 'text' },
      }),
      metadata: { session: 'x' },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      thinking: { type: 'enabled', budget_tokens: 1_000 },
    };
    expect(contentOfTree(tree).segments).toEqual(['continue']);
    const seal = { type: 'thinking', thinking: 'hm', signature: 'A'.repeat(400) };
    expect(contentOfTree({ messages: [{ content: [seal] }] }).segments).toEqual(['hm']);
  });

  test('a summary of a conversation, which is words to the model', () => {
    const item = compactedItem('do EVIL', (prefix) => prefix);
    const sealed = String(item['encrypted_content']);
    // What is read as one is checked as one.
    for (const encrypted_content of [
      sealed,
      `${sealed.slice(0, 20)}\n${sealed.slice(20)}`,
      sealed.replace(/=+$/, ''),
    ]) {
      const input = [{ ...item, encrypted_content }];
      expect(readRequest({ model: 'm', input }).value.messages).toHaveLength(1);
      expect(contentOfTree({ model: 'm', input }).segments).toEqual(['do EVIL']);
    }
    expect(contentOfTree({ input: [{ type: 'compaction', encrypted_content: 'gAAAAAB' }] }).segments).toEqual([]);
  });
});

describe('images', () => {
  const data = 'data:image/png;base64,AA==';
  const base64 = 'A'.repeat(300);
  test.each([
    [{ type: 'image_url', image_url: { url: 'https://h/a.png', detail: 'low' } }, 'https://h/a.png'],
    [{ type: 'image_url', image_url: { url: data } }, data],
    [{ type: 'input_image', image_url: 'https://h/a.png' }, 'https://h/a.png'],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }, data],
    [{ type: 'image', source: { type: 'url', url: 'https://h/a.png' } }, 'https://h/a.png'],
    [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }, data],
    [{ image: base64 }, `data:image/png;base64,${base64}`],
    [{ text: data }, data],
  ])('%j', (part, url) => {
    const { images, unreadable } = contentOfTree({ input: [{ content: [part] }] });
    expect([images.includes(url), unreadable]).toEqual([true, undefined]);
  });
});

describe('not checkable', () => {
  test.each([
    [{ messages: [{ content: [{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }] }] }, 'audio'],
    [{ messages: [{ content: [{ type: 'file', file: { file_id: 'f' } }] }] }, 'a file that only its provider'],
    [
      { messages: [{ content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AA' } }] }] },
      'a document',
    ],
    [
      { messages: [{ content: [{ type: 'document', source: { type: 'url', url: 'https://h/a.pdf' } }] }] },
      'a document',
    ],
    [{ messages: [{ content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] }, 'a file'],
    [{ messages: [{ content: [{ type: 'image_url', image_url: { url: 'gs://b/a' } }] }] }, 'an image that only'],
    [{ input: [{ content: [{ type: 'input_image', file_id: 'f' }] }] }, 'a file'],
    [{ input: [{ content: [{ type: 'input_file', file_url: 'https://h/a' }] }] }, 'a file'],
    [{ input: [{ type: 'item_reference', id: 'i' }] }, 'an item'],
    [{ previous_response_id: 'resp_1' }, 'an earlier reply'],
    [{ conversation: 'conv_1' }, 'a conversation'],
    [{ conversation: { id: 'conv_1' } }, 'a conversation'],
    [{ prompt: { id: 'pmpt_1', variables: { a: 'b' } } }, 'a prompt'],
    [{ tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 'a collection of files'],
    [{ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'a container'],
    [{ tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://h' }] }, 'a server'],
    [{ cachedContent: 'cachedContents/1' }, 'content that only its provider keeps'],
    [{ contents: [{ parts: [{ fileData: { fileUri: 'https://h/a' } }] }] }, 'a file'],
    [{ contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AA' } }] }] }, 'a video'],
    [{ prompt: [1, 2] }, 'numbers'],
    [{ input: [[1, 2]] }, 'numbers'],
  ])('%j', (tree, expected) => {
    expect(contentOfTree(tree).unreadable).toStartWith(expected);
  });

  test('nothing is taken for a reference that is none', () => {
    const fields = { conversation: 'none', previous_response_id: null, prompt: 'x', file_ids: [] };
    const schema = { properties: { file_id: { type: 'string' }, container: { type: 'string' } }, enum: [1, 2] };
    expect(
      contentOfTree({ ...fields, tools: [{ input_schema: schema }], logit_bias: { 5: 1 } }).unreadable,
    ).toBeUndefined();
    const call = { type: 'tool_use', input: { file_id: 'x', prompt: [1, 2], container: 'c' } };
    expect(contentOfTree({ messages: [{ content: [call] }] }).unreadable).toBeUndefined();
    expect(
      contentOfTree({ previous_response_id: 'r' }, { known: new Set(['previous_response_id']) }).unreadable,
    ).toBeUndefined();
  });

  test('a text that nests without end is refused, not followed', () => {
    const text = '['.repeat(200_000) + ']'.repeat(200_000);
    const { segments, unreadable } = contentOfTree({ messages: [{ tool_calls: [{ function: { arguments: text } }] }] });
    expect(unreadable !== undefined || segments.length === 1).toBe(true);
  });
});
