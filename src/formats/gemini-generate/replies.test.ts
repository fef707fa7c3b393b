import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Part } from '../../conversation/parts.ts';
import { readSeal } from '../../conversation/seals/seal.ts';
import type { Finish, TextReply } from '../../conversation/text-reply.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { readReply } from './read/reply.ts';
import { readUsage, writeUsage } from './usage.ts';
import { finishWord, readFinish } from './wire.ts';
import { writeReply } from './write/reply.ts';

const origin = { format: 'gemini-generate', provider: 'p', model: 'asked' };
const newId = (prefix: string) => `${prefix}new`;
const read = (tree: unknown) => readReply(tree, { origin, nowMs: 5, newId });
const write = (reply: TextReply) => writeReply(reply, { request: {}, nowMs: 5, newId });
const withParts = (...parts: Part[]): TextReply => ({
  id: 'r',
  model: 'm',
  createdAtMs: 5,
  candidates: [{ parts, finish: { reason: 'stop' } }],
  usage: unknownUsage,
});
const partsOf = (tree: Tree) => (tree.candidates as { content: { parts: Tree[] } }[])[0]?.content.parts;

describe('finish', () => {
  const meanings = {
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'content-filter',
    RECITATION: 'content-filter',
    LANGUAGE: 'content-filter',
    OTHER: 'other',
    BLOCKLIST: 'content-filter',
    PROHIBITED_CONTENT: 'content-filter',
    SPII: 'content-filter',
    MALFORMED_FUNCTION_CALL: 'malformed-call',
    IMAGE_SAFETY: 'content-filter',
    IMAGE_PROHIBITED_CONTENT: 'content-filter',
    IMAGE_OTHER: 'other',
    NO_IMAGE: 'other',
    IMAGE_RECITATION: 'content-filter',
    UNEXPECTED_TOOL_CALL: 'malformed-call',
    TOO_MANY_TOOL_CALLS: 'other',
    MISSING_THOUGHT_SIGNATURE: 'other',
    MALFORMED_RESPONSE: 'other',
    A_WORD_OF_TOMORROW: 'other',
  };

  test('every word is read, and written back as itself', () => {
    for (const [word, reason] of Object.entries(meanings)) {
      expect(readFinish(word, false)).toEqual({ reason, raw: word } as Finish);
      expect(finishWord(readFinish(word, true))).toBe(word === 'A_WORD_OF_TOMORROW' ? 'OTHER' : word);
    }
    expect(readFinish('STOP', true).reason).toBe('tool-calls');
    expect(readFinish('MAX_TOKENS', true).reason).toBe('length');
  });

  test('reasons of other formats get the nearest word, their raw words are not ours', () => {
    const words = (
      [
        'stop',
        'stop-sequence',
        'length',
        'tool-calls',
        'content-filter',
        'refusal',
        'pause',
        'malformed-call',
        'other',
      ] as const
    ).map((reason) => finishWord({ reason, raw: 'end_turn' }));
    expect(words).toEqual([
      'STOP',
      'STOP',
      'MAX_TOKENS',
      'STOP',
      'SAFETY',
      'SAFETY',
      'OTHER',
      'MALFORMED_FUNCTION_CALL',
      'OTHER',
    ]);
  });
});

describe('usage', () => {
  test('thoughts are output, the prompts of hosted tools are input, cached tokens are inside', () => {
    expect(
      readUsage({
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        toolUsePromptTokenCount: 10,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 7,
        totalTokenCount: 137,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 60 },
          { modality: 'AUDIO', tokenCount: 30 },
          { modality: 'IMAGE', tokenCount: 10 },
        ],
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 20 }],
      }),
    ).toEqual({
      input: { total: 110, cacheRead: 40, audio: 30, image: 10 },
      output: { total: 27, thinking: 7, image: 20, text: undefined, audio: undefined },
    });
  });

  test('nothing reported is nothing known, and implausible counts are not reported', () => {
    expect(readUsage({ trafficType: 'ON_DEMAND' })).toBeUndefined();
    expect(readUsage({ promptTokenCount: -1, candidatesTokenCount: 1.5 })).toBeUndefined();
    expect(readUsage({ promptTokenCount: 3 })).toMatchObject({ input: { total: 3 }, output: { total: undefined } });
    expect(readUsage({ promptTokenCount: 3, thoughtsTokenCount: 9 })?.output.total).toBe(9);
    expect(writeUsage(unknownUsage)).toBeUndefined();
  });

  test('written and read again the counts are the same', () => {
    const usage = {
      input: { total: 50, cacheRead: 8, audio: 5, image: 6 },
      output: { total: 30, text: 8, thinking: 20, audio: 2, image: undefined },
    };
    expect(readUsage(writeUsage(usage))).toEqual(usage);
    expect(writeUsage(usage)).toMatchObject({ candidatesTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 80 });
  });
});

describe('reading', () => {
  test('parts in their order, ids only where none came, seals with their origin', () => {
    const { value, losses } = read({
      candidates: [
        {
          content: {
            parts: [
              { text: 'hm', thought: true },
              { text: 'a' },
              { text: '', thoughtSignature: 's' },
              { functionCall: { id: 'x', name: 'f', args: { q: 1 } }, thoughtSignature: 't' },
              { functionCall: { name: 'g' } },
              { inlineData: { mimeType: 'image/png', data: 'AA' } },
              { executableCode: { code: '1' } },
              { text: '' },
            ],
          },
          finishReason: 'STOP',
          safetyRatings: [],
        },
      ],
      modelVersion: 'served',
      modelStatus: { modelStage: 'STABLE' },
    });
    expect(losses).toEqual([]);
    expect(value).toEqual({
      id: 'gen-new',
      model: 'served',
      createdAtMs: 5,
      candidates: [
        {
          parts: [
            { type: 'thinking', text: 'hm' },
            { type: 'text', text: 'a', seal: { value: 's', origin } },
            { type: 'tool-call', id: 'x', name: 'f', arguments: '{"q":1}', seal: { value: 't', origin } },
            { type: 'tool-call', id: 'call_new', name: 'g', arguments: '{}' },
            { type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AA' } },
            { type: 'native', format: 'gemini-generate', value: { executableCode: { code: '1' } } },
          ],
          finish: { reason: 'tool-calls', raw: 'STOP' },
        },
      ],
      usage: unknownUsage,
      extras: {
        format: 'gemini-generate',
        fields: { modelStatus: { modelStage: 'STABLE' }, 'candidates[0].safetyRatings': [] },
      },
    });
  });

  test('a blocked prompt is a refusal, written back as it came', () => {
    const tree = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
      modelVersion: 'm',
      responseId: 'r',
    };
    const { value } = read(tree);
    expect(value.candidates).toEqual([{ parts: [], finish: { reason: 'content-filter', raw: 'PROHIBITED_CONTENT' } }]);
    expect(write(value)).toEqual({ value: tree, losses: [] });
  });

  test('anything else is not of the format', () => {
    for (const tree of [null, [], 'x', {}, { error: {} }, { choices: [] }])
      expect(() => read(tree)).toThrow(SyntaxError);
  });

  test('sources are counted in bytes here and in UTF-16 units there', () => {
    const text = 'Größe 👍 zählt.';
    const groundingMetadata = {
      webSearchQueries: ['q'],
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, { retrievedContext: { title: 'B', text: 'words' } }],
      groundingSupports: [
        { segment: { endIndex: Buffer.byteLength('Größe') }, groundingChunkIndices: [0] },
        {
          segment: { partIndex: 1, startIndex: Buffer.byteLength('Größe 👍 '), endIndex: Buffer.byteLength(text) },
          groundingChunkIndices: [0, 1, 9],
        },
      ],
    };
    const tree = {
      candidates: [
        {
          content: { parts: [{ text: 'x', thought: true }, { text }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
          groundingMetadata,
        },
      ],
      modelVersion: 'm',
      responseId: 'r',
    };
    const { value } = read(tree);
    const part = value.candidates[0]?.parts[1];
    expect(part).toEqual({
      type: 'text',
      text,
      citations: [
        { url: 'https://a', title: 'A', start: 0, end: 5 },
        { url: 'https://a', title: 'A', start: 9, end: text.length },
        { title: 'B', quote: 'words', start: 9, end: text.length },
      ],
    });
    // Kept whole for its own format, and rebuilt for a reply that came from another.
    expect(write(value).value).toEqual(tree);
    const { extras: _, ...foreign } = value;
    const again = read(write(foreign).value).value.candidates[0]?.parts[1];
    expect(again).toEqual(part as Part);
  });

  test('recitations and logprobs are read and written', () => {
    const tree = {
      candidates: [
        {
          content: { parts: [{ text: 'abc' }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
          logprobsResult: {
            topCandidates: [
              {
                candidates: [
                  { token: 'abc', logProbability: -0.5 },
                  { token: 'x', logProbability: -2 },
                ],
              },
            ],
            chosenCandidates: [{ token: 'abc', logProbability: -0.5 }],
          },
          citationMetadata: { citationSources: [{ startIndex: 1, endIndex: 2, uri: 'https://c', license: 'mit' }] },
          avgLogprobs: -0.5,
        },
      ],
      modelVersion: 'm',
      responseId: 'r',
    };
    const { value } = read(tree);
    expect(value.candidates[0]?.parts[0]).toMatchObject({
      citations: [{ url: 'https://c', start: 1, end: 2 }],
      logprobs: [
        {
          token: 'abc',
          logprob: -0.5,
          top: [
            { token: 'abc', logprob: -0.5 },
            { token: 'x', logprob: -2 },
          ],
        },
      ],
    });
    expect(write(value)).toEqual({ value: tree, losses: [] });
  });
});

describe('writing', () => {
  const foreign = { value: 'sig', origin: { format: 'anthropic-messages', provider: 'p', model: 'm' } };

  test('seals are wrapped, so that they return to their origin', () => {
    const { value, losses } = write(
      withParts(
        { type: 'thinking', text: '', seal: foreign },
        { type: 'text', text: 'a' },
        { type: 'tool-call', id: 'toolu_1', name: 'f', arguments: '{"a": 1}', seal: foreign },
      ),
    );
    expect(losses).toEqual([]);
    const parts = partsOf(value);
    expect(parts).toMatchObject([
      { text: '', thought: true },
      { text: 'a' },
      { functionCall: { id: 'toolu_1', name: 'f', args: { a: 1 } } },
    ]);
    expect(
      parts?.map((part) => typeof part.thoughtSignature === 'string' && readSeal(part.thoughtSignature, 'x')),
    ).toEqual([foreign, false, foreign]);
  });

  test('unsupported finish reasons are reported', () => {
    const reply: TextReply = {
      ...withParts({ type: 'refusal', text: 'no' }, { type: 'native', format: 'openai-responses', value: {} }),
      usage: { input: { total: 9, cacheWrite: 3 }, output: { total: 1 } },
      extras: { format: 'openai-chat', fields: { system_fingerprint: 'x' } },
    };
    const { value, losses } = write({
      ...reply,
      candidates: reply.candidates.map(({ parts }) => ({
        parts,
        finish: { reason: 'stop-sequence', stopSequence: 'END' },
      })),
    });
    expect(partsOf(value)).toEqual([{ text: 'no' }]);
    expect(losses.map(({ what }) => what).sort()).toEqual([
      'refusal',
      'reply part',
      'stop sequence',
      'system_fingerprint',
      'usage of cache writes',
    ]);
  });

  test('an empty reply still has a part, and an id is made where none came', () => {
    const { value } = write({ ...withParts(), id: '' });
    expect(partsOf(value)).toEqual([{ text: '' }]);
    expect(value.responseId).toBe('new');
  });
});

describe('a turn that ended with a call that cannot be read', () => {
  const finishMessage = 'Malformed function call: look(';
  const ended = (finishReason: string, parts?: readonly Tree[]) => ({
    candidates: [{ ...(parts !== undefined && { content: { parts } }), finishReason, finishMessage }],
  });

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])('%s without an answer is a failure', (reason) => {
    for (const parts of [undefined, [], [{ text: 'hm', thought: true }], [{ text: '' }]]) {
      expect(() => read(ended(reason, parts))).toThrow(finishMessage);
      expect(() => read(ended(reason, parts))).toThrow(GatewayError);
    }
  });

  test('text before it is an answer', () => {
    expect(read(ended('MALFORMED_FUNCTION_CALL', [{ text: 'a' }])).value.candidates[0]?.finish).toEqual({
      reason: 'malformed-call',
      raw: 'MALFORMED_FUNCTION_CALL',
    });
  });
});
