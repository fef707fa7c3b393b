import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Part } from '../../conversation/parts.ts';
import { readSeal } from '../../conversation/seals/seal.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { readReply } from './read/reply.ts';
import { streamReader } from './stream/reader.ts';
import { streamWriter } from './stream/writer.ts';
import { GenerateTap } from './tap.ts';

const origin = { format: 'gemini-generate', provider: 'p', model: 'asked' };

function makeIds() {
  let ids = 0;
  return (prefix: string) => `${prefix}${++ids}`;
}

function readAll(...chunks: unknown[]) {
  const reader = streamReader({ origin, nowMs: 5, newId: makeIds() });
  const events: StreamEvent[] = chunks.flatMap((chunk) => reader.read(JSON.stringify(chunk), undefined));
  events.push(...reader.end());
  return { events, losses: reader.losses };
}

function writeAll(events: Iterable<StreamEvent>) {
  const writer = streamWriter({ request: {}, nowMs: 5, newId: makeIds() });
  const text = [...events].map((event) => writer.write(event)).join('');
  const chunks = text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => JSON.parse(frame.replace(/^data: /, '')) as Tree);
  return { text, chunks, losses: writer.losses };
}

const chunk = (parts: unknown[], more: Tree = {}, beside: Tree = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  modelVersion: 'm',
  responseId: 'r',
  ...beside,
});
const end = chunk([{ text: '' }], { finishReason: 'STOP' });
const partsIn = (chunks: readonly Tree[]) =>
  chunks.flatMap((one) => (one.candidates as { content: { parts: Tree[] } }[]).flatMap(({ content }) => content.parts));

describe('reading', () => {
  test('pieces of one kind are one part, in the order of their kinds', () => {
    const { events } = readAll(
      chunk([{ text: 'th', thought: true }]),
      chunk([{ text: 'ink', thought: true, thoughtSignature: 's' }]),
      chunk([{ text: 'A' }]),
      chunk([{ text: 'B' }, { functionCall: { id: 'x', name: 'f', args: { q: '1' } } }]),
      chunk([{ text: 'C' }]),
      end,
    );
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates).toEqual([
      {
        parts: [
          { type: 'thinking', text: 'think', seal: { value: 's', origin } },
          { type: 'text', text: 'AB' },
          { type: 'tool-call', id: 'x', name: 'f', arguments: '{"q":"1"}' },
          { type: 'text', text: 'C' },
        ],
        finish: { reason: 'tool-calls', raw: 'STOP' },
      },
    ]);
  });

  test('one part has one signature', () => {
    const { events } = readAll(
      chunk([{ text: 'a', thoughtSignature: '1' }]),
      chunk([{ text: 'b' }]),
      chunk([{ text: '', thoughtSignature: '2' }]),
      end,
    );
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]?.parts).toEqual([
      { type: 'text', text: 'a', seal: { value: '1', origin } },
      { type: 'text', text: 'b', seal: { value: '2', origin } },
    ]);
  });

  test('arguments in pieces, at paths of every kind; a place beyond a list is its end', () => {
    const piece = (jsonPath: string, value: Tree) =>
      chunk([{ functionCall: { partialArgs: [{ jsonPath, ...value }], willContinue: true } }]);
    const { events } = readAll(
      chunk([{ functionCall: { name: 'f', willContinue: true }, thoughtSignature: 's' }]),
      piece('$.text', { stringValue: 'Hel', willContinue: true }),
      piece('$.text', { stringValue: 'lo' }),
      piece('$.list[0].n', { numberValue: 1 }),
      piece('$.list[900000000].n', { numberValue: 2 }),
      piece("$['odd name']", { boolValue: true }),
      piece('$["__proto__"].x', { nullValue: 'NULL_VALUE' }),
      chunk([{ functionCall: {} }]),
      end,
    );
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]?.parts).toEqual([
      {
        type: 'tool-call',
        id: 'call_1',
        name: 'f',
        arguments: '{"text":"Hello","list":[{"n":1},{"n":2}],"odd name":true,"__proto__":{"x":null}}',
        seal: { value: 's', origin },
      },
    ]);
    expect(({} as Tree).x).toBeUndefined();
  });

  test.each([
    ['NEW_REASON', { reason: 'other', raw: 'NEW_REASON' }],
    [1, { reason: 'stop', raw: 'STOP' }],
    [10, { reason: 'malformed-call', raw: 'MALFORMED_FUNCTION_CALL' }],
    [99, { reason: 'other', raw: '99' }],
    ['stop', { reason: 'stop', raw: 'stop' }],
    ['max_tokens', { reason: 'length', raw: 'max_tokens' }],
  ] as const)('the finish %p ends a stream and a whole reply alike', (finishReason, finish) => {
    const reply = chunk([{ text: 'a' }], { finishReason });
    const { events } = readAll(reply);
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]?.finish).toEqual(finish);
    expect(readReply(reply, { origin, nowMs: 5, newId: makeIds() }).value.candidates[0]?.finish).toEqual(finish);
    const tap = new GenerateTap();
    tap.read(JSON.stringify(reply));
    expect(tap.finished).toBe(true);
  });

  test.each([
    '',
    null,
    0,
    'FINISH_REASON_UNSPECIFIED',
    {},
  ])('%p is no finish, and the stream is cut', (finishReason) => {
    const reply = chunk([{ text: 'a' }], { finishReason });
    expect(readAll(reply).events.some(({ type }) => type === 'reply-end')).toBe(false);
    const tap = new GenerateTap();
    tap.read(JSON.stringify(reply));
    expect(tap.finished).toBe(false);
  });

  test('a finish in every chunk ends nothing before the bytes end', () => {
    const always = (text: string) => chunk([{ text }], { finishReason: 'STOP', safetyRatings: [{ text }] });
    const { events } = readAll(always('a'), always('b'));
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]).toEqual({
      parts: [{ type: 'text', text: 'ab' }],
      finish: { reason: 'stop', raw: 'STOP' },
    });
    expect(events.filter(({ type }) => type === 'native')).toEqual([
      { type: 'native', format: 'gemini-generate', candidate: 0, value: { safetyRatings: [{ text: 'b' }] } },
    ]);
  });

  test('usage is passed on at its first report, in full at the end, and the last report wins', () => {
    const counts = (candidatesTokenCount: number) => ({ usageMetadata: { promptTokenCount: 9, candidatesTokenCount } });
    const { events } = readAll(
      chunk([{ text: 'a' }], {}, counts(1)),
      chunk([{ text: 'b' }], { finishReason: 'MAX_TOKENS' }, counts(2)),
      {
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, thoughtsTokenCount: 4 },
      },
    );
    expect(checkEvents(events)).toEqual([]);
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['reply-start', 'usage']);
    expect(fold(events).usage).toMatchObject({ input: { total: 9 }, output: { total: 7, thinking: 4 } });
    expect(fold(events).candidates[0]?.finish.reason).toBe('length');
  });

  test('several candidates, each with its own parts; one that is cut keeps the reply from ending', () => {
    const both = (one: string, other: string, finished: string[]) => ({
      candidates: [one, other].map((text, index) => ({
        content: { parts: [{ text }] },
        index,
        ...(finished[index] && { finishReason: finished[index] }),
      })),
    });
    const { events } = readAll(both('a', 'x', []), both('b', 'y', ['STOP', 'SAFETY']));
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates.map(({ parts, finish }) => [parts, finish.reason])).toEqual([
      [[{ type: 'text', text: 'ab' }], 'stop'],
      [[{ type: 'text', text: 'xy' }], 'content-filter'],
    ]);
    expect(readAll(both('a', 'x', ['STOP'])).events.some(({ type }) => type === 'reply-end')).toBe(false);
  });

  test('media, files by address and parts of this format alone', () => {
    const code = { executableCode: { code: '1' } };
    const { events } = readAll(
      chunk([
        { inlineData: { mimeType: 'audio/pcm', data: 'AAA=' } },
        { fileData: { mimeType: 'image/png', fileUri: 'https://x' } },
        code,
      ]),
      end,
    );
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]?.parts).toEqual([
      { type: 'media', media: 'audio', mediaType: 'audio/pcm', source: { kind: 'base64', data: 'AAA=' } },
      { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'url', url: 'https://x' } },
      { type: 'native', format: 'gemini-generate', value: code },
    ]);
  });

  test('sources belong to the text that is open when they come', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 5 }, groundingChunkIndices: [0] }],
    };
    const { events } = readAll(
      chunk([{ text: 'é' }]),
      chunk([{ text: ' ok' }], { finishReason: 'STOP', groundingMetadata }),
    );
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events).candidates[0]?.parts).toEqual([
      { type: 'text', text: 'é ok', citations: [{ url: 'https://a', title: 'A', start: 2, end: 4 }] },
    ]);
    const { chunks } = writeAll(events);
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ groundingMetadata }] });
  });

  test('a blocked prompt ends the reply; an error fails it; what is of another format throws', () => {
    const blocked = readAll({ promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'no' } }).events;
    expect(checkEvents(blocked)).toEqual([]);
    expect(fold(blocked).candidates).toEqual([
      { parts: [{ type: 'refusal', text: 'no' }], finish: { reason: 'content-filter', raw: 'SAFETY' } },
    ]);
    const { events } = readAll(chunk([{ text: 'a' }]), {
      error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' },
    });
    expect(events.at(-1)).toEqual({
      type: 'failure',
      code: 'upstream_rate_limited',
      message: 'slow down',
      providerType: 'RESOURCE_EXHAUSTED',
      providerCode: '429',
    });
    expect(checkEvents(events)).toEqual([]);
    for (const other of ['x', '[DONE]', '[]', '{}', '{"choices":[]}']) {
      expect(() => streamReader({ origin, nowMs: 5, newId: makeIds() }).read(other, undefined)).toThrow(SyntaxError);
    }
  });
});

describe('writing', () => {
  const seal = { value: 's', origin: { format: 'anthropic-messages', provider: 'p', model: 'm' } };
  const at = { candidate: 0, part: 0 };
  const start: StreamEvent = { type: 'reply-start', id: 'r', model: 'm', createdAtMs: 5 };

  test('each delta is a chunk at once; a call comes whole; finish and usage come last, together', () => {
    const writer = streamWriter({ request: {}, nowMs: 5, newId: makeIds() });
    const text = (event: StreamEvent) => writer.write(event);
    expect(text(start)).toBe('');
    expect(text({ type: 'part-start', ...at, opening: { type: 'text' } })).toBe('');
    expect(text({ type: 'text-delta', ...at, text: 'a\n"' })).toBe(
      'data: {"candidates":[{"content":{"parts":[{"text":"a\\n\\""}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"r"}\n\n',
    );
    expect(text({ type: 'part-end', ...at })).toBe('');
    const place = { candidate: 0, part: 1 };
    text({ type: 'part-start', ...place, opening: { type: 'tool-call', id: 'c', name: 'f' } });
    expect(text({ type: 'tool-input-delta', ...place, text: '{"x"' })).toBe('');
    text({ type: 'tool-input-delta', ...place, text: ':\n1}' });
    text({ type: 'seal', ...place, seal });
    const call = text({ type: 'part-end', ...place });
    expect(call.split('\n').length).toBe(3);
    const [part] = partsIn([JSON.parse(call.slice('data: '.length))]);
    expect(part?.functionCall).toEqual({ id: 'c', name: 'f', args: { x: 1 } });
    expect(readSeal(String(part?.thoughtSignature), '')).toEqual(seal);
    text({ type: 'usage', usage: { input: { total: 3 }, output: {} } });
    expect(text({ type: 'candidate-end', candidate: 0, finish: { reason: 'tool-calls', raw: 'tool_use' } })).toBe('');
    text({ type: 'usage', usage: { input: {}, output: { total: 4 } } });
    expect(JSON.parse(text({ type: 'reply-end' }).slice('data: '.length))).toEqual({
      candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
      modelVersion: 'm',
      responseId: 'r',
    });
    expect(writer.losses).toEqual([]);
  });

  test('a failure is the format’s own error and nothing after it', () => {
    const { text } = writeAll([start, { type: 'failure', code: 'upstream_failed', message: 'cut' }]);
    expect(JSON.parse(text.replace(/^data: /, ''))).toMatchObject({
      error: { code: 503, message: 'cut', status: 'UNAVAILABLE' },
    });
  });

  test('foreign parts and events are reported', () => {
    const { losses } = writeAll([
      start,
      { type: 'native', format: 'openai-responses', value: { x_new: 1 } },
      { type: 'native', format: 'openai-responses', value: {}, ...at },
    ]);
    expect(losses.map(({ what }) => what)).toEqual(['x_new', 'reply part']);
  });
});

test('random replies come back equal through writer and reader', () => {
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const word = () => ['a', 'é\n\n', '👍 "q"', '\u2028', 'data: x'][random(5)] ?? '';
  const mark = () => (random(2) === 0 ? {} : { seal: { value: word(), origin } });
  const randomParts: (() => Part)[] = [
    () => ({ type: 'text', text: word() + word(), ...mark() }),
    () => ({ type: 'thinking', text: word(), ...mark() }),
    () => ({
      type: 'tool-call',
      id: `id${random(99)}`,
      name: 'f',
      arguments: JSON.stringify({ [word()]: [word(), 1] }),
      ...mark(),
    }),
    () => ({ type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'QUJD' } }),
    () => ({ type: 'native', format: 'gemini-generate', value: { executableCode: { code: word() } } }),
  ];
  for (let round = 0; round < 2_000; round++) {
    const parts: Part[] = [];
    for (let left = random(6); left > 0; left--) {
      const part = randomParts[random(randomParts.length)]?.() as Part;
      const last = parts.at(-1);
      // Unsealed adjacent parts of one kind are one part on this wire.
      if (last?.type === part.type && (part.type === 'text' || part.type === 'thinking') && !('seal' in last)) continue;
      parts.push(part);
    }
    const called = parts.some(({ type }) => type === 'tool-call');
    const reply: TextReply = {
      id: 'r',
      model: 'm',
      createdAtMs: 5,
      candidates: [{ parts, finish: { reason: called ? 'tool-calls' : 'stop', raw: 'STOP' } }],
      usage:
        random(2) === 0
          ? unknownUsage
          : { input: { total: random(99) }, output: { total: 50, thinking: random(50) }, model: 'm' },
    };
    const { chunks, losses } = writeAll(unfold(reply));
    expect(losses).toEqual([]);
    const { events } = readAll(...chunks);
    expect(checkEvents(events)).toEqual([]);
    expect(JSON.parse(JSON.stringify(unsealed(fold(events))))).toEqual(JSON.parse(JSON.stringify(reply)));
  }
});

/** A client would give the wrapped seal back; reading it unwraps it. */
function unsealed(reply: TextReply): TextReply {
  const parts = (reply.candidates[0]?.parts ?? []).map((part) =>
    'seal' in part && part.seal !== undefined ? { ...part, seal: readSeal(part.seal.value, '') } : part,
  );
  return { ...reply, candidates: reply.candidates.map(({ finish }) => ({ parts, finish })) };
}

test('a turn that ended with a call that cannot be read fails, unless there is other output', () => {
  const finish = { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'look(' }] };
  const failure = {
    type: 'failure',
    code: 'upstream_failed',
    message: 'The model ended its turn with MALFORMED_FUNCTION_CALL: look(',
    providerType: undefined,
    providerCode: 'MALFORMED_FUNCTION_CALL',
  } as const;
  for (const before of [[], [chunk([{ text: 'hm', thought: true }])]]) {
    const { events } = readAll(...before, finish);
    expect(events.at(-1)).toEqual(failure);
    expect(checkEvents(events)).toEqual([]);
  }
  const { events } = readAll(chunk([{ text: 'a' }]), finish);
  expect(events.at(-1)).toEqual({ type: 'reply-end' });
});
