/** Proves each format against what the sandbox really streams in it, and that what is written is what the format says. */

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type FormatName, formatNames } from '../conversation/conversation.ts';
import { formats } from './all-formats.ts';
import type { Ask, Draft, NeutralMessage } from './format-adapter.ts';
import { createServerEventReader } from './server-events.ts';

const recorded = (name: string): Promise<string> => Bun.file(join(import.meta.dir, 'recorded', `${name}.txt`)).text();

function read(name: FormatName, text: string, pieceCharacters = text.length): Draft {
  const events = createServerEventReader();
  const reader = formats[name].reader();
  for (let at = 0; at < text.length; at += pieceCharacters) {
    for (const event of events.push(text.slice(at, at + pieceCharacters))) reader.take(event);
  }
  return reader.draft();
}

const ask = (changes: Partial<Ask> = {}): Ask => ({
  model: 'acme/large',
  system: '',
  messages: [{ role: 'user', text: 'Hello', attachments: [] }],
  parameters: {},
  tools: [],
  ...changes,
});

const bodyOf = (name: FormatName, given: Ask): Record<string, unknown> => {
  const { body } = formats[name].request(given);
  return body?.kind === 'json' ? (body.value as Record<string, unknown>) : {};
};

describe.each([...formatNames])('%s', (name) => {
  test('reads thinking, a call with its arguments, the end and the usage of a real stream', async () => {
    const draft = read(name, await recorded(name));
    expect(draft.thinking).toContain('get_weather');
    expect(draft.calls).toEqual([
      { id: expect.stringMatching(/^call_/), name: 'get_weather', arguments: '{"city":"Paris"}' },
    ]);
    expect(draft.isEnded).toBe(true);
    expect(draft.failure).toBeUndefined();
    expect(draft.native).toBeDefined();
    // That recording of the chat format was made without asking for usage.
    if (name !== 'chat') expect([draft.inputTokens, draft.outputTokens]).toEqual([17, expect.any(Number)]);
  });

  test('reads the same whatever the network does to it', async () => {
    const text = await recorded(name);
    for (const size of [1, 7, 1000]) expect(read(name, text, size)).toEqual(read(name, text));
  });

  test('a stream that broke off has no end, and says why', async () => {
    const draft = read(name, await recorded(`${name}-cut`));
    expect(draft.text).toStartWith('17 * 23 = 391.');
    expect(draft.failure?.message).toBe('The connection to the provider sandbox broke off.');
    if (name !== 'responses') expect(draft.isEnded).toBe(false);
  });

  test('what was signed goes back as it came, with the result behind it', async () => {
    const text = await recorded(name);
    const draft = read(name, text);
    const signature = /"(?:thought_signature|signature|encrypted_content|thoughtSignature)":"(d2[^"]+)"/.exec(
      text,
    )?.[1];
    const call = draft.calls[0];
    if (call === undefined || signature === undefined) throw new Error('the recording holds no signed call');
    const messages: readonly NeutralMessage[] = [
      { role: 'user', text: 'Weather?', attachments: [] },
      { role: 'assistant', text: '', calls: draft.calls, native: { format: name, content: draft.native } },
      { role: 'tool', results: [{ callId: call.id, name: call.name, text: 'sunny' }] },
    ];
    const sent = JSON.stringify(bodyOf(name, ask({ messages })));
    expect(sent).toContain(signature);
    expect(sent).toContain('sunny');
    expect(sent.split(call.id).length - 1).toBe(2);
  });

  test('what another format signed goes as plain parts', () => {
    const foreign = formatNames.find((other) => other !== name) ?? name;
    const messages: readonly NeutralMessage[] = [
      {
        role: 'assistant',
        text: 'Fine.',
        calls: [{ id: 'c1', name: 'look', arguments: '{"a":1}' }],
        native: { format: foreign, content: [{ secret: 'abc' }] },
      },
    ];
    const sent = JSON.stringify(bodyOf(name, ask({ messages })));
    expect(sent).not.toContain('abc');
    expect(sent).toContain('Fine.');
    expect(sent).toContain('look');
  });

  test('nothing is sent that nobody set', () => {
    const sent = Object.keys(bodyOf(name, ask()));
    const always = {
      chat: ['messages', 'model', 'stream', 'stream_options'],
      messages: ['max_tokens', 'messages', 'model', 'stream'],
    };
    const others = { responses: ['include', 'input', 'model', 'store', 'stream'], generate: ['contents'] };
    expect(sent.sort()).toEqual({ ...always, ...others }[name]);
  });
});

const full = ask({
  system: 'Be brief.',
  parameters: { temperature: 0.5, topP: 0.9, topK: 5, maxTokens: 100, stop: ['END'], seed: 3, effort: 'low' },
  tools: [{ name: 'look', description: 'Looks.', schema: { type: 'object' } }],
  schema: { type: 'object' },
});

test('the chat format says everything in its words', () => {
  expect(bodyOf('chat', full)).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
    temperature: 0.5,
    top_p: 0.9,
    max_completion_tokens: 100,
    stop: ['END'],
    seed: 3,
    reasoning_effort: 'low',
    tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
  });
});

test('the messages format says everything in its words', () => {
  expect(bodyOf('messages', full)).toMatchObject({
    system: 'Be brief.',
    max_tokens: 100,
    top_k: 5,
    stop_sequences: ['END'],
    output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
    tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
  });
});

test('the responses format says everything in its words', () => {
  expect(bodyOf('responses', full)).toMatchObject({
    instructions: 'Be brief.',
    max_output_tokens: 100,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' } } },
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
  });
});

test('content generation says everything in its words, the model in the path', () => {
  expect(formats.generate.request(full).path).toBe('/v1beta/models/acme/large:streamGenerateContent?alt=sse');
  expect(bodyOf('generate', full)).toMatchObject({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: {
      topK: 5,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      seed: 3,
      thinkingConfig: { thinkingLevel: 'LOW' },
      responseJsonSchema: { type: 'object' },
    },
    tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] }],
  });
});

test('files go in each format’s own parts', () => {
  const file = (name: string, mediaType: string) => ({ id: name, name, mediaType, sizeBytes: 2, base64: btoa('hi') });
  const attachments = [file('a.png', 'image/png'), file('b.pdf', 'application/pdf'), file('c.txt', 'text/plain')];
  const given = ask({ messages: [{ role: 'user', text: 'See', attachments }] });
  const typesOf = (name: FormatName): unknown => {
    const { messages, input, contents } = bodyOf(name, given);
    const [first] = (messages ?? input ?? contents) as { content?: unknown[]; parts?: unknown[] }[];
    return (first?.content ?? first?.parts ?? []).map(
      (part) => (part as { type?: string }).type ?? Object.keys(part as object)[0],
    );
  };
  expect(typesOf('chat')).toEqual(['image_url', 'file', 'file', 'text']);
  expect(typesOf('messages')).toEqual(['image', 'document', 'document', 'text']);
  expect(typesOf('responses')).toEqual(['input_image', 'input_file', 'input_file', 'input_text']);
  expect(typesOf('generate')).toEqual(['inlineData', 'inlineData', 'inlineData', 'text']);
  expect(JSON.stringify(bodyOf('messages', given))).toContain('"data":"hi"');
});
