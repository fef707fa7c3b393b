import { describe, expect, test } from 'bun:test';
import { fitToModel } from '../../../conversation/fit-model.ts';
import type { Tree } from '../../../conversation/json-tree.ts';
import type { ThinkingRule } from '../../../conversation/model-profile.ts';
import type { Message, Part } from '../../../conversation/parts.ts';
import { requestDefaults, type TextRequest } from '../../../conversation/text-request.ts';
import { readRequest } from '../read/request.ts';
import { skippedSignature } from '../wire.ts';
import { writeRequest } from './request.ts';

const plain: TextRequest = {
  model: 'm',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  ...requestDefaults,
};
const write = (change: Partial<TextRequest>) => writeRequest({ ...plain, ...change });
const named = (change: Partial<TextRequest>) => write(change).losses.map(({ what }) => what);
const config = (change: Partial<TextRequest>) => write(change).value.generationConfig;
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });
const text = (words: string): Part => ({ type: 'text', text: words });
const call = (id: string, name: string, more: object = {}): Part => ({
  type: 'tool-call',
  id,
  name,
  arguments: '{}',
  ...more,
});
const result = (callId: string, words: string, failed = false): Message => ({
  role: 'tool',
  parts: [{ type: 'tool-result', callId, parts: [{ type: 'text', text: words }], failed }],
});
const seal = { value: 'sig', origin: { format: 'gemini-generate', provider: 'p', model: 'm' } };

test('a plain request is contents and nothing else', () => {
  expect(write({})).toEqual({ value: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, losses: [] });
});

test('a tool loop: instructions apart, thinking before its call, answers named and together, signatures where they are demanded', () => {
  const { value, losses } = write({
    messages: [
      { role: 'instruction', parts: [text('one')] },
      { role: 'instruction', parts: [text('two')], authority: 'developer' },
      user(text('q')),
      assistant(
        { type: 'thinking', text: 'hm', seal },
        text('let me see'),
        call('a', 'f', { arguments: '{"x":1}' }),
        call('b', 'f'),
      ),
      result('b', 'B'),
      result('a', 'A', true),
      user(text('thanks')),
      assistant(text('first')),
      assistant(call('c', 'g', { seal })),
    ],
  });
  expect(losses).toEqual([]);
  expect(value.systemInstruction).toEqual({ parts: [{ text: 'one' }, { text: 'two' }] });
  expect(value.contents).toEqual([
    { role: 'user', parts: [{ text: 'q' }] },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: 'sig' },
        { text: 'let me see' },
        { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: skippedSignature },
        { functionCall: { id: 'b', name: 'f', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'b', name: 'f', response: { output: 'B' } } },
        { functionResponse: { id: 'a', name: 'f', response: { error: 'A' } } },
      ],
    },
    { role: 'user', parts: [{ text: 'thanks' }] },
    {
      role: 'model',
      parts: [{ text: 'first' }, { functionCall: { id: 'c', name: 'g', args: {} }, thoughtSignature: 'sig' }],
    },
  ]);
});

test('an answer with several texts and an image keeps them apart', () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } },
  ] as const;
  const { value, losses } = write({
    messages: [
      user(text('q')),
      assistant(call('a', 'f')),
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', parts, failed: false }] },
    ],
  });
  expect(losses).toEqual([]);
  const again = readRequest(value).value.messages.at(-1)?.parts[0];
  expect(again).toEqual({ type: 'tool-result', callId: 'a', name: 'f', parts, failed: false });
});

test('arguments that are no object are kept as they are and reported', () => {
  const { value, losses } = write({
    messages: [user(text('q')), assistant(call('a', 'f', { arguments: '{"x":' }), call('b', 'f', { arguments: '' }))],
  });
  expect(
    (value.contents as { parts: Tree[] }[])[1]?.parts.map(({ functionCall }) => (functionCall as Tree).args),
  ).toEqual([{ input: '{"x":' }, {}]);
  expect(losses.map(({ what }) => what)).toEqual(['messages[1] call of f']);
});

describe('files', () => {
  const media = (part: object, change: Partial<TextRequest> = {}) => {
    const { value, losses } = write({
      messages: [user({ type: 'media', media: 'image', source: { kind: 'base64', data: '/9j/AA' }, ...part } as Part)],
      ...change,
    });
    return {
      part: (value.contents as { parts: Tree[] }[])[0]?.parts[0],
      losses: losses.map(({ what }) => what),
      config: value.generationConfig,
    };
  };

  test('bytes, URLs, texts; a guess is reported', () => {
    expect(media({})).toMatchObject({ part: { inlineData: { mimeType: 'image/jpeg', data: '/9j/AA' } }, losses: [] });
    expect(media({ mediaType: 'image/png', source: { kind: 'url', url: 'https://x/y' } })).toMatchObject({
      part: { fileData: { mimeType: 'image/png', fileUri: 'https://x/y' } },
      losses: [],
    });
    expect(media({ source: { kind: 'url', url: 'https://x/y.PNG?z=.gif' } })).toMatchObject({
      part: { fileData: { mimeType: 'image/png', fileUri: 'https://x/y.PNG?z=.gif' } },
      losses: ['messages[0] image media type'],
    });
    expect(media({ source: { kind: 'url', url: 'https://x/y' } }).part).toEqual({
      fileData: { fileUri: 'https://x/y' },
    });
    expect(media({ media: 'document', source: { kind: 'text', text: 'hé' } }).part).toEqual({
      inlineData: { mimeType: 'text/plain', data: Buffer.from('hé').toString('base64') },
    });
    expect(media({ media: 'document', source: { kind: 'file-id', id: 'file-1' }, filename: 'x' })).toMatchObject({
      part: { text: '' },
      losses: ['messages[0] document filename', 'messages[0] document'],
    });
  });

  test('a resolution that all images share is set once, others on their image', () => {
    expect(media({ detail: 'low' }).config).toEqual({ mediaResolution: 'MEDIA_RESOLUTION_LOW' });
    expect(media({ detail: 'auto' })).toMatchObject({ losses: [], config: undefined });
    expect(media({ detail: 'original' }).losses).toEqual(['messages[0] image detail']);
    const image = (detail: string): Part => ({
      type: 'media',
      media: 'image',
      mediaType: 'image/png',
      source: { kind: 'base64', data: 'A' },
      detail,
    });
    const { value } = write({ messages: [user(image('low'), image('high'))] });
    expect(value.generationConfig).toBeUndefined();
    expect((value.contents as { parts: Tree[] }[])[0]?.parts.map(({ mediaResolution }) => mediaResolution)).toEqual([
      { level: 'MEDIA_RESOLUTION_LOW' },
      { level: 'MEDIA_RESOLUTION_HIGH' },
    ]);
  });
});

describe('tools', () => {
  const tools = [{ name: 'f' }, { name: 'g', strict: true }];
  const choice = (toolChoice: TextRequest['toolChoice'], declared = tools.slice(0, 1)) =>
    (write({ tools: declared, toolChoice }).value.toolConfig as { functionCallingConfig: Tree } | undefined)
      ?.functionCallingConfig;

  test('every choice has its mode; strict tools are validated; without tools there is nothing to choose', () => {
    expect(choice({ kind: 'auto' })).toBeUndefined();
    expect(choice({ kind: 'auto' }, tools)).toEqual({ mode: 'VALIDATED' });
    expect(choice({ kind: 'none' })).toEqual({ mode: 'NONE' });
    expect(choice({ kind: 'required' })).toEqual({ mode: 'ANY' });
    expect(choice({ kind: 'tool', name: 'f' })).toEqual({ mode: 'ANY', allowedFunctionNames: ['f'] });
    expect(choice({ kind: 'allowed', names: ['f', 'g'], required: true })).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['f', 'g'],
    });
    expect(choice({ kind: 'allowed', names: ['f'], required: false })).toEqual({
      mode: 'VALIDATED',
      allowedFunctionNames: ['f'],
    });
    expect(choice({ kind: 'required' }, [])).toBeUndefined();
    expect(named({ tools, parallelToolCalls: false })).toEqual(['parallel_tool_calls']);
  });

  test('schemas: references inlined, single values as lists, unknown keywords reported by their path', () => {
    const parameters = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' }, pattern: { type: 'string', pattern: 'x' }, kind: { const: 'k' } },
      $defs: { A: { type: 'integer', minimum: 1 } },
    };
    const { value, losses } = write({ tools: [{ name: 'f', parameters }] });
    expect(value.tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            parametersJsonSchema: {
              type: 'object',
              properties: { a: { type: 'integer', minimum: 1 }, pattern: { type: 'string' }, kind: { enum: ['k'] } },
            },
          },
        ],
      },
    ]);
    expect(losses.map(({ what }) => what)).toEqual(['tools[0].parameters.properties.pattern.pattern']);
  });

  test('a recursive schema keeps its references', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#/$defs/T' } } };
    const schema = { ...tree, $defs: { T: tree } };
    expect(config({ output: { kind: 'json-schema', schema, name: 'n', strict: true } })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
  });

  test('hosted tools: the web search is neutral, others belong to their format', () => {
    const hostedTools = [
      { kind: 'web-search', extras: { format: 'openai-responses', fields: { search_context_size: 'low' } } },
      { kind: 'native', format: 'gemini-generate', value: { codeExecution: {} } },
      { kind: 'native', format: 'openai-responses', value: { type: 'file_search' } },
    ] as const;
    expect(write({ hostedTools }).value.tools).toEqual([{ googleSearch: {} }, { codeExecution: {} }]);
    expect(named({ hostedTools })).toEqual(['web search search_context_size', 'tool file_search']);
  });

  test('a name that the format refuses is altered everywhere and reported', () => {
    const { value, losses } = write({
      messages: [user(text('q')), assistant(call('a', '1 f')), result('a', 'x')],
      tools: [{ name: '1 f' }, { name: 'mcp__a.b:c-d' }],
    });
    expect(JSON.stringify(value)).not.toContain('1 f"');
    expect(
      (value.tools as { functionDeclarations: Tree[] }[])[0]?.functionDeclarations.map(({ name }) => name),
    ).toEqual(['_1_f', 'mcp__a.b:c-d']);
    expect(losses.length).toBe(3);
  });
});

describe('configuration', () => {
  test('how much to think', () => {
    const thinking = (requested: TextRequest['thinking']) =>
      (config(requested === undefined ? {} : { thinking: requested }) as Tree | undefined)?.thinkingConfig;
    expect(thinking({ mode: 'off' })).toEqual({ thinkingBudget: 0 });
    expect(thinking({ effort: 'none' })).toEqual({ thinkingBudget: 0 });
    expect(thinking({ effort: 'low', visible: true })).toEqual({ includeThoughts: true, thinkingBudget: 1024 });
    expect(thinking({ mode: 'on', budgetTokens: 5000 })).toEqual({ includeThoughts: true, thinkingBudget: 5000 });
    expect(thinking({ mode: 'adaptive', visible: false })).toEqual({ includeThoughts: false, thinkingBudget: -1 });
    expect(thinking({ visible: false })).toEqual({ includeThoughts: false });
    expect(thinking({ budgetTokens: 60_000 })).toEqual({ thinkingBudget: 24_576 });
    expect(named({ thinking: { budgetTokens: 60_000 } })).toEqual(['thinking budget']);
    expect(named({ thinking: { effort: 'unknown' } })).toEqual(['thinking effort unknown']);
  });

  test('a known model is sent a level or a budget, as it accepts it', () => {
    const sent = (thinking: TextRequest['thinking'], rule: ThinkingRule) => {
      const { value } = fitToModel({ ...plain, ...(thinking && { thinking }) }, { thinking: rule });
      return (writeRequest(value, { profile: { thinking: rule } }).value.generationConfig as Tree | undefined)
        ?.thinkingConfig;
    };
    const levels: ThinkingRule = { kind: 'effort', efforts: ['low', 'high'] };
    expect(sent({ effort: 'high' }, levels)).toEqual({ thinkingLevel: 'HIGH' });
    expect(sent({ mode: 'on', budgetTokens: 2_000 }, levels)).toEqual({ thinkingLevel: 'LOW' });
    expect(sent({ mode: 'adaptive', visible: true }, levels)).toEqual({ includeThoughts: true });
    expect(sent({ mode: 'off' }, levels)).toEqual({ thinkingLevel: 'LOW' });
    const budgets: ThinkingRule = { kind: 'budget', tokensMin: 128, tokensMax: 32_768, canBeOff: false, dynamic: true };
    expect(sent({ mode: 'off' }, budgets)).toEqual({ thinkingBudget: 128 });
    expect(sent({ budgetTokens: 60_000 }, budgets)).toEqual({ thinkingBudget: 32_768 });
    expect(sent({ mode: 'adaptive' }, budgets)).toEqual({ includeThoughts: true, thinkingBudget: -1 });
    expect(sent({ mode: 'adaptive' }, { ...budgets, dynamic: false })).toEqual({
      includeThoughts: true,
      thinkingBudget: 8_192,
    });
    expect(sent({ mode: 'off' }, { ...budgets, canBeOff: true })).toEqual({ thinkingBudget: 0 });
    expect(sent({ effort: 'high' }, { kind: 'never' })).toBeUndefined();
  });

  test('a budget leaves room for the answer', () => {
    const budget = (fields: Partial<TextRequest>) =>
      ((config(fields) as Tree).thinkingConfig as { readonly thinkingBudget: number }).thinkingBudget;
    expect(budget({ thinking: { budgetTokens: 5_000 }, maxOutputTokens: 4_000 })).toBe(3_999);
    expect(budget({ thinking: { effort: 'high' }, maxOutputTokens: 4_000 })).toBe(3_000);
    expect(named({ thinking: { effort: 'high' }, maxOutputTokens: 4_000 })).toEqual(['thinking budget']);
  });

  test('limits of the format, and what it has no field for, are reported', () => {
    const losses = named({
      stop: ['1', '2', '3', '4', '5', '6'],
      seed: 2 ** 40,
      logitBias: { '1': 1 },
      verbosity: 'low',
      metadata: { a: 'b' },
      user: 'u',
      promptCacheKey: 'k',
      store: true,
      serviceTier: 'scale',
      audio: { voice: 'Kore', format: 'mp3' },
      tools: [{ name: 'f', cacheMark: {}, extras: { format: 'anthropic-messages', fields: { defer_loading: true } } }],
      messages: [
        {
          role: 'user',
          name: 'bob',
          parts: [
            { type: 'text', text: 'x', cacheMark: {} },
            { type: 'native', format: 'openai-chat', value: { type: 'odd' } },
          ],
        },
        assistant({ type: 'refusal', text: 'no' }),
      ],
      extras: { format: 'openai-chat', fields: { prediction: {} } },
    });
    expect(losses.sort()).toEqual(
      [
        'messages[0].name',
        'messages[0] odd',
        'messages[1] refusal',
        'tools[0].defer_loading',
        'service_tier',
        'stop',
        'seed',
        'audio.format',
        'cache marks',
        'logit_bias',
        'verbosity',
        'metadata',
        'user',
        'prompt_cache_key',
        'store',
        'prediction',
      ].sort(),
    );
    expect(named({ serviceTier: 'auto', store: false, parallelToolCalls: true })).toEqual([]);
  });

  test('read, written and read again: everything is kept', () => {
    const body = {
      systemInstruction: { parts: [{ text: 's' }] },
      contents: [
        { role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AA' } }] },
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: { x: [1] } }, thoughtSignature: 'raw' }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: { output: 'o' } } }] },
        { role: 'model', parts: [{ text: 't', thought: true }, { codeExecutionResult: { outcome: 'OUTCOME_OK' } }] },
      ],
      tools: [
        {
          functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' }, response: { type: 'STRING' } }],
        },
        { urlContext: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' }, retrievalConfig: { languageCode: 'en' } },
      safetySettings: [],
      cachedContent: 'cachedContents/1',
      labels: { a: 'b' },
      serviceTier: 'priority',
      generationConfig: {
        temperature: 1,
        topP: 0.5,
        topK: 3,
        candidateCount: 2,
        maxOutputTokens: 900,
        stopSequences: ['x'],
        seed: 1,
        presencePenalty: 1,
        frequencyPenalty: 1,
        responseLogprobs: true,
        logprobs: 2,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        responseModalities: ['TEXT'],
        thinkingConfig: { includeThoughts: true, thinkingBudget: 99 },
        mediaResolution: 'MEDIA_RESOLUTION_LOW',
        speechConfig: { languageCode: 'de' },
      },
    };
    const path = { model: 'm', stream: false };
    const first = readRequest(body, path);
    const written = writeRequest(first.value);
    expect([first.losses, written.losses]).toEqual([[], []]);
    expect(readRequest(written.value, path)).toEqual(first);
    expect(written.value).toEqual(body);
  });
});
