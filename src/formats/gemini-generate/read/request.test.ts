import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../../conversation/json-tree.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import { skippedSignature, writeThinkingSeal } from '../wire.ts';
import { readRequest } from './request.ts';

const named = { model: 'asked', stream: true };
const read = (tree: Tree) => readRequest(tree, named);
const contents = (...turns: Tree[]) => read({ contents: turns }).value.messages;
const origin = { format: 'anthropic-messages', provider: 'p', model: 'm' };

describe('turns', () => {
  test('the path names the model and whether to stream, roles and instructions are read', () => {
    const { value, losses } = read({
      systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
      contents: [
        { role: 'USER', parts: { text: 'a' } },
        { role: 'model', parts: [{ text: 'b' }] },
        { parts: [{ text: 'c' }] },
      ],
    });
    expect(losses).toEqual([]);
    expect([value.model, value.stream]).toEqual(['asked', true]);
    expect(value.messages).toEqual([
      {
        role: 'instruction',
        parts: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'b' }] },
      { role: 'user', parts: [{ type: 'text', text: 'c' }] },
    ]);
  });

  test('an instruction as a bare text, and one content instead of a list', () => {
    const { value } = read({ system_instruction: 'be brief', contents: { parts: { text: 'hi' } } });
    expect(value.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['instruction', [{ type: 'text', text: 'be brief' }]],
      ['user', [{ type: 'text', text: 'hi' }]],
    ]);
  });

  test('chunks that a library kept as contents are one turn, with one signature over all of the thinking', () => {
    const seal = { value: 'sig', origin };
    const thought = (text: string, more: Tree = {}) => ({ role: 'model', parts: [{ text, thought: true, ...more }] });
    const [, turn] = contents(
      { role: 'user', parts: [{ text: 'q' }] },
      thought('ab'),
      thought('cd'),
      thought('', { thoughtSignature: writeThinkingSeal(seal, false) }),
      { role: 'model', parts: [{ text: 'Hel' }] },
      { role: 'model', parts: [{ text: 'lo' }] },
      { role: 'model', parts: [{ functionCall: { id: 'x', name: 'f', args: {} } }] },
    );
    expect(turn?.parts).toEqual([
      { type: 'thinking', text: 'abcd', seal },
      { type: 'text', text: 'Hello' },
      { type: 'tool-call', id: 'x', name: 'f', arguments: '{}' },
    ]);
  });

  test('hidden thinking comes back as hidden, thinking without words does not', () => {
    const seal = { value: 'data', origin };
    const [turn] = contents({
      role: 'model',
      parts: [
        { text: '', thought: true, thoughtSignature: writeThinkingSeal(seal, true) },
        { text: '', thought: true, thoughtSignature: writeThinkingSeal(seal, false) },
      ],
    });
    expect(turn?.parts).toEqual([
      { type: 'thinking', text: '', redacted: true, seal },
      { type: 'thinking', text: '', seal },
    ]);
  });

  test('signatures of texts and calls are seals; the skip value is none', () => {
    const seal = { value: 'v', origin };
    const [turn] = contents({
      role: 'model',
      parts: [
        { text: 'a', thought_signature: writeSeal(seal) },
        { function_call: { name: 'f', args: { x: 1 } }, thoughtSignature: skippedSignature },
        { functionCall: { name: 'g' }, thoughtSignature: 'raw' },
      ],
    });
    expect(turn?.parts).toEqual([
      { type: 'text', text: 'a', seal },
      { type: 'tool-call', id: 'call-1-f', name: 'f', arguments: '{"x":1}' },
      {
        type: 'tool-call',
        id: 'call-2-g',
        name: 'g',
        arguments: '{}',
        seal: { value: 'raw', origin: { format: 'gemini-generate', provider: '', model: '' } },
      },
    ]);
  });
});

describe('answers', () => {
  const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } });
  const answer = (name: string, response: unknown, id?: string) => ({
    functionResponse: { name, response, ...(id && { id }) },
  });
  const callIds = (...parts: Tree[][]) =>
    contents(...parts.map((list, index) => ({ role: index % 2 === 0 ? 'model' : 'user', parts: list })))
      .filter(({ role }) => role === 'tool')
      .flatMap(({ parts: results }) => results.map((part) => (part.type === 'tool-result' ? part.callId : part.type)));

  test('by id, else by name and order, within the latest turn', () => {
    expect(callIds([call('f'), call('g'), call('f')], [answer('f', {}), answer('f', {}), answer('g', {})])).toEqual([
      'call-1-f',
      'call-3-f',
      'call-2-g',
    ]);
    expect(callIds([call('f', 'a'), call('f', 'b')], [answer('f', {}, 'b'), answer('f', {})])).toEqual(['b', 'a']);
    expect(callIds([call('f')], [{ text: 'no' }], [call('f')], [answer('f', {})])).toEqual(['call-2-f']);
    expect(callIds([call('f')], [answer('unknown', {})])).toEqual(['call-2-unknown']);
  });

  test('`output` and `error` are the convention, anything else is the answer itself', () => {
    const [, turn] = contents(
      { role: 'model', parts: [1, 2, 3, 4, 5].map(() => call('f')) },
      {
        role: 'function',
        parts: [
          answer('f', { output: 'plain' }),
          answer('f', { error: 'broke' }),
          answer('f', { result: 5 }),
          answer('f', { output: [1, 'two'] }),
          answer('f', {
            output: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          }),
        ],
      },
    );
    expect(turn?.role).toBe('tool');
    expect(
      turn?.parts.map(
        (part) =>
          part.type === 'tool-result' && [part.failed, part.parts.map((one) => one.type === 'text' && one.text)],
      ),
    ).toEqual([
      [false, ['plain']],
      [true, ['broke']],
      [false, ['{"result":5}']],
      [false, ['[1,"two"]']],
      [false, ['a', 'b']],
    ]);
  });

  test('the user’s text beside a result follows it, and a result may hold images', () => {
    const [, tool, user] = contents(
      { role: 'model', parts: [call('f', 'a')] },
      {
        role: 'user',
        parts: [
          { text: 'look' },
          {
            functionResponse: {
              id: 'a',
              name: 'f',
              response: { output: 'see' },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
            },
          },
        ],
      },
    );
    expect(tool?.parts[0]).toEqual({
      type: 'tool-result',
      callId: 'a',
      name: 'f',
      failed: false,
      parts: [
        { type: 'text', text: 'see' },
        { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } },
      ],
    });
    expect(user).toEqual({ role: 'user', parts: [{ type: 'text', text: 'look' }] });
  });
});

test('files by bytes and by address in both spellings; what only this format knows stays whole', () => {
  const video = { fileData: { fileUri: 'https://v.example/1' }, videoMetadata: { fps: 1 } };
  const code = { executableCode: { language: 'PYTHON', code: '1' } };
  const { value, losses } = read({
    contents: [
      {
        parts: [
          { inline_data: { mime_type: 'audio/wav', data: 'AA' } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'gs://b/x.pdf', displayName: 'x' } },
          { inlineData: { mimeType: 'image/png', data: 'BB' }, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } },
          video,
          code,
          {},
        ],
      },
    ],
  });
  expect(value.messages[0]?.parts).toEqual([
    { type: 'media', media: 'audio', mediaType: 'audio/wav', source: { kind: 'base64', data: 'AA' } },
    {
      type: 'media',
      media: 'document',
      mediaType: 'application/pdf',
      source: { kind: 'url', url: 'gs://b/x.pdf' },
      filename: 'x',
    },
    { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'BB' }, detail: 'low' },
    {
      type: 'native',
      format: 'gemini-generate',
      value: video,
      instead: [{ type: 'media', media: 'document', source: { kind: 'url', url: 'https://v.example/1' } }],
      dropped: { what: 'videoMetadata', why: 'is supported by its own format only' },
    },
    {
      type: 'native',
      format: 'gemini-generate',
      value: code,
      instead: [{ type: 'text', text: '(The tool code_execution was run with: 1)\n' }],
    },
  ]);
  expect(losses).toEqual([{ what: 'contents[0].parts[5]', why: 'is not a part' }]);
});

describe('tools', () => {
  const choice = (functionCallingConfig: Tree) =>
    read({ contents: [], toolConfig: { functionCallingConfig } }).value.toolChoice;

  test('declarations in both schema dialects, hosted tools by name', () => {
    const { value } = read({
      contents: [],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'old',
              description: 'd',
              behavior: 'BLOCKING',
              parameters: {
                type: 'OBJECT',
                properties: {
                  type: { type: 'STRING', nullable: true },
                  list: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '1' },
                },
                required: ['type'],
              },
            },
            { name: 'new', parametersJsonSchema: { type: 'object', $defs: {} } },
          ],
        },
        { google_search: {}, codeExecution: {} },
        { googleSearch: { excludeDomains: ['x'] } },
      ],
    });
    expect(value.tools).toEqual([
      {
        name: 'old',
        description: 'd',
        parameters: {
          type: 'object',
          properties: {
            type: { type: ['string', 'null'] },
            list: { type: 'array', items: { type: 'integer' }, minItems: 1 },
          },
          required: ['type'],
        },
        extras: { format: 'gemini-generate', fields: { behavior: 'BLOCKING' } },
      },
      { name: 'new', parameters: { type: 'object', $defs: {} } },
    ]);
    expect(value.hostedTools).toEqual([
      { kind: 'web-search' },
      { kind: 'native', format: 'gemini-generate', value: { codeExecution: {} } },
      { kind: 'web-search', extras: { format: 'gemini-generate', fields: { excludeDomains: ['x'] } } },
    ]);
  });

  test('enums may come as their numbers', () => {
    const parameters = { type: 6, properties: { a: { type: 1, nullable: true }, b: { type: 5, items: { type: 7 } } } };
    const declared = [{ functionDeclarations: [{ name: 'f', parameters }] }];
    const asked = (mode: unknown) =>
      read({ contents: [], tools: declared, toolConfig: { functionCallingConfig: { mode } } });
    expect(asked(2).value.tools[0]?.parameters).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: { type: 'null' } } },
    });
    const kinds = [0, 1, 2, 3, 4].map((mode) => asked(mode).value.toolChoice.kind);
    expect(kinds).toEqual(['auto', 'auto', 'required', 'none', 'auto']);
    expect(asked(4).value.tools[0]?.strict).toBe(true);
    expect(asked(99).losses).toMatchObject([{ what: 'toolConfig.functionCallingConfig.mode' }]);
    const { value } = read({ contents: [], generationConfig: { responseModalities: [0, 1, 3] } });
    expect(value.modalities).toEqual(['text', 'audio']);
  });

  test('every mode of choice', () => {
    expect(choice({ mode: 'AUTO' })).toEqual({ kind: 'auto' });
    expect(choice({ mode: 'none' })).toEqual({ kind: 'none' });
    expect(choice({ mode: 'ANY' })).toEqual({ kind: 'required' });
    expect(choice({ mode: 'ANY', allowedFunctionNames: ['f'] })).toEqual({ kind: 'tool', name: 'f' });
    expect(choice({ mode: 'ANY', allowed_function_names: ['f', 'g'] })).toEqual({
      kind: 'allowed',
      names: ['f', 'g'],
      required: true,
    });
    expect(choice({ mode: 'VALIDATED', allowedFunctionNames: ['f'] })).toEqual({
      kind: 'allowed',
      names: ['f'],
      required: false,
    });
  });
});

describe('configuration', () => {
  test('every field with a neutral name is read, in both spellings; the others are kept by their path', () => {
    const { value, losses } = read({
      contents: [],
      generation_config: {
        temperature: 0.5,
        top_p: 0.9,
        topK: 40,
        candidateCount: 2,
        max_output_tokens: 100,
        stopSequences: ['END'],
        seed: 7,
        presencePenalty: 0.1,
        frequency_penalty: 0.2,
        responseLogprobs: true,
        logprobs: 3,
        responseModalities: ['TEXT', 'AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
        imageConfig: { aspectRatio: '1:1' },
      },
      tool_config: { retrievalConfig: { languageCode: 'en' } },
      safetySettings: [{ category: 'X' }],
      cachedContent: 'cachedContents/1',
      serviceTier: 'flex',
    });
    expect(losses).toEqual([]);
    expect(value).toMatchObject({
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      candidates: 2,
      maxOutputTokens: 100,
      stop: ['END'],
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      logprobs: { top: 3 },
      modalities: ['text', 'audio'],
      audio: { voice: 'Kore' },
      thinking: { mode: 'on', budgetTokens: 1024, visible: true },
      serviceTier: 'flex',
    });
    expect(value.extras).toEqual({
      format: 'gemini-generate',
      fields: {
        'toolConfig.retrievalConfig': { languageCode: 'en' },
        safetySettings: [{ category: 'X' }],
        cachedContent: 'cachedContents/1',
        'generationConfig.imageConfig': { aspectRatio: '1:1' },
      },
    });
  });

  test('how much to think', () => {
    const thinking = (thinkingConfig: Tree) =>
      read({ contents: [], generationConfig: { thinkingConfig } }).value.thinking;
    expect(thinking({ thinkingBudget: 0 })).toEqual({ mode: 'off' });
    expect(thinking({ thinkingBudget: -1 })).toEqual({ mode: 'adaptive', visible: false });
    expect(thinking({ thinkingLevel: 'LOW' })).toEqual({ effort: 'low' });
    expect(thinking({})).toBeUndefined();
  });

  test('which shape of output', () => {
    const output = (generationConfig: Tree) => read({ contents: [], generationConfig }).value;
    const json = { responseMimeType: 'application/json' };
    expect(output({ ...json }).output).toEqual({ kind: 'json' });
    expect(output({ ...json, responseSchema: { type: 'STRING' } }).output).toEqual({
      kind: 'json-schema',
      schema: { type: 'string' },
    });
    expect(output({ ...json, responseJsonSchema: { type: 'STRING' } }).output).toEqual({
      kind: 'json-schema',
      schema: { type: 'STRING' },
    });
    const word = { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } };
    expect(output(word).output).toEqual({ kind: 'text' });
    expect(output(word).extras?.fields).toEqual({
      'generationConfig.responseMimeType': 'text/x.enum',
      'generationConfig.responseSchema': { type: 'STRING', enum: ['a'] },
    });
  });
});

test('malformed bodies of every kind are read without a throw', () => {
  const values: unknown[] = [
    null,
    0,
    'x',
    [],
    [null],
    [[]],
    {},
    { parts: 3 },
    true,
    [{ parts: [null, 3, 'text', {}] }],
  ];
  const names = [
    'contents',
    'systemInstruction',
    'tools',
    'toolConfig',
    'generationConfig',
    'serviceTier',
    '__proto__',
  ];
  for (const name of names) {
    for (const value of values) {
      const tree = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
      expect(Array.isArray(read(tree).value.messages)).toBe(true);
    }
  }
  for (const field of ['functionCall', 'functionResponse', 'inlineData', 'thoughtSignature', 'thought']) {
    for (const value of values) expect(contents({ role: 'model', parts: [{ [field]: value }] }).length).toBe(1);
  }
});

test('the empty text that ends a stream is no part of the turn that clients give back', () => {
  const call = { functionCall: { id: 'c1', name: 'look', args: {} } };
  const turns = (...contents: Tree[]) =>
    read({ contents: [{ role: 'user', parts: [{ text: 'Go.' }] }, ...contents] }).value.messages.slice(1);
  const expected = [{ role: 'assistant', parts: [{ type: 'tool-call', id: 'c1', name: 'look', arguments: '{}' }] }];
  expect<unknown>(turns({ role: 'model', parts: [call, { text: '' }] })).toEqual(expected);
  expect<unknown>(turns({ role: 'model', parts: [call] }, { role: 'model', parts: [{ text: '' }] })).toEqual(expected);
  expect<unknown>(turns({ role: 'model', parts: [{ text: '' }] })).toEqual([
    { role: 'assistant', parts: [{ type: 'text', text: '' }] },
  ]);
});

test.each([
  ['-_8=', '+/8='],
  ['a-b_', 'a+b/'],
  ['AAAA', 'AAAA'],
])('the bytes %p, in either alphabet, are %p in other formats', (data, expected) => {
  const parts = [{ inline_data: { mime_type: 'image/png', data } }];
  const { value } = readRequest({ contents: [{ role: 'user', parts }] }, { model: 'm', stream: false });
  expect(value.messages[0]?.parts[0]).toMatchObject({ type: 'media', source: { kind: 'base64', data: expected } });
});
