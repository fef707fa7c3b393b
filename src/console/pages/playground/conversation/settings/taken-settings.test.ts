/** Proves that a setting reaches a model only where the format can say it and the model takes it. */

import { describe, expect, test } from 'bun:test';
import { readModels } from '../../models.ts';
import type { PlaygroundModel } from '../../playground-contract.ts';
import { emptySettings } from '../conversation.ts';
import { readSettings } from './check-settings.ts';
import { isOffered, smallestReply, standingOf, takenSettings } from './taken-settings.ts';

const modelOf = (id: string, parameters?: readonly string[]): PlaygroundModel => ({
  id,
  providers: ['p'],
  operations: ['converse'],
  inputModalities: [],
  outputModalities: [],
  ...(parameters !== undefined && { parameters }),
});
const thinker = modelOf('thinker', ['max_tokens', 'reasoning', 'tools']);
const plain = modelOf('plain', ['temperature', 'top_k', 'max_tokens', 'structured_outputs']);
const unknown = modelOf('unknown');

describe('what is sent', () => {
  test('is what both the format and the model know', () => {
    expect([...takenSettings('chat', thinker)]).toEqual(['maxTokens', 'effort', 'tools']);
    expect([...takenSettings('chat', plain)]).toEqual(['temperature', 'maxTokens', 'schema']);
    expect([...takenSettings('messages', plain)]).toEqual(['temperature', 'topK', 'maxTokens', 'schema']);
  });

  test('is all that the format says where the list is silent, and nothing where the list is empty', () => {
    const all = [...takenSettings('responses', undefined)];
    expect(all).toEqual(['temperature', 'topP', 'maxTokens', 'effort', 'tools', 'schema']);
    expect([...takenSettings('responses', unknown)]).toEqual(all);
    expect([...takenSettings('responses', modelOf('none', []))]).toEqual([]);
  });

  test('leaves out what is filled in and not taken, and finds no fault with it', () => {
    const settings = {
      ...emptySettings,
      parameters: { temperature: '9', maxTokens: '5' },
      schemaText: '[',
      toolsText: '',
    };
    expect(readSettings(settings, takenSettings('chat', thinker))).toEqual({
      checked: { system: '', parameters: { maxTokens: 5 }, tools: [] },
      faults: [],
    });
    expect(readSettings(settings, takenSettings('chat', plain)).faults).toEqual(['schema', 'temperature']);
  });
});

test('side by side, what one of two takes is offered, and the other is named', () => {
  expect(standingOf('temperature', 'chat', [plain, thinker])).toEqual({ kind: 'partly', without: ['thinker'] });
  expect(standingOf('maxTokens', 'chat', [plain, thinker])).toEqual({ kind: 'sent' });
  expect(standingOf('seed', 'chat', [plain, thinker])).toEqual({ kind: 'refused' });
  expect(standingOf('topK', 'chat', [plain])).toEqual({ kind: 'unsaid' });
  expect(standingOf('seed', 'chat', [plain, undefined])).toEqual({ kind: 'partly', without: ['plain'] });
  expect(standingOf('seed', 'chat', [])).toEqual({ kind: 'sent' });
  expect((['sent', 'partly'] as const).map((kind) => isOffered({ kind, without: [] }))).toEqual([true, true]);
  expect((['unsaid', 'refused'] as const).map((kind) => isOffered({ kind }))).toEqual([false, false]);
});

test('the list of models is read: absent is unknown, empty is nothing', () => {
  const [first, second, third] = readModels({
    data: [{ id: 'a', supported_parameters: ['stop', 7] }, { id: 'b', supported_parameters: [] }, { id: 'c' }],
  });
  expect([first?.parameters, second?.parameters, third?.parameters]).toEqual([['stop'], [], undefined]);
});

test('the limit that is shown is one that every model can write', () => {
  const writes = (outputTokensMax?: number) => ({
    ...plain,
    ...(outputTokensMax !== undefined && { outputTokensMax }),
  });
  expect(smallestReply([writes(8_192), writes(64_000)])).toBe(8_192);
  expect(smallestReply([writes(8_192), writes()])).toBeUndefined();
  expect(smallestReply([writes(8_192), undefined])).toBeUndefined();
  expect(smallestReply([])).toBeUndefined();
  const row = { id: 'a', top_provider: { max_completion_tokens: 5 } };
  expect(readModels({ data: [row] })[0]?.outputTokensMax).toBe(5);
});
