/** Proves what is kept, what is shown and what is sent of a conversation that branches, calls tools and is set up by hand. */

import { describe, expect, test } from 'bun:test';
import type { PlaygroundModel } from '../playground-contract.ts';
import { nanoOf } from '../wire/reply-head.ts';
import { base64Of, mediaTypeOf, takesFiles } from './attachments.ts';
import { awaitsResults, shownRounds, showVersion, versionsOf, withRound, withStep } from './branches.ts';
import { buildAsk } from './build-ask.ts';
import { type Conversation, emptySettings, type Round, type Step, titleOf } from './conversation.ts';
import { estimatedCostNano } from './estimate-cost.ts';
import { tokensPerSecond } from './facts-line.tsx';
import { readSettings, readTools } from './settings/check-settings.ts';
import { takenSettings } from './settings/taken-settings.ts';

const step = (text: string, more: Partial<Step> = {}): Step => ({ thinking: '', text, calls: [], ...more });
const round = (id: string, parentId: string | undefined, ...texts: string[]): Round => ({
  id,
  ...(parentId !== undefined && { parentId }),
  text: `question ${id}`,
  attachments: [],
  answers: texts.map((text, lane) => ({ model: `m${lane}`, steps: text === '' ? [] : [step(text)] })),
});
const blank: Conversation = { id: 'c', title: '', changedAtMs: 0, models: [], settings: emptySettings, rounds: [] };
const branched = [
  round('a', undefined, 'A'),
  round('b', 'a', 'B'),
  round('b2', 'a', 'B2'),
  round('c', 'b2', 'C'),
].reduce(withRound, blank);
const { checked } = readSettings(emptySettings, new Set());

describe('branches', () => {
  test('what is shown leads from the first round to the chosen last one', () => {
    expect(shownRounds(branched).map(({ id }) => id)).toEqual(['a', 'b2', 'c']);
    const other = showVersion(branched, 'b');
    expect(shownRounds(other).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(shownRounds(showVersion(other, 'b2')).map(({ id }) => id)).toEqual(['a', 'b2', 'c']);
    expect(versionsOf(branched, branched.rounds[2] ?? round('x', 'x'))).toEqual({ ids: ['b', 'b2'], index: 1 });
  });

  test('a circle ends', () => {
    const circle = { ...blank, rounds: [round('a', 'b'), round('b', 'a')], leafId: 'a' };
    expect(shownRounds(circle).length).toBeLessThan(5);
  });

  test('a step is put where it belongs', () => {
    const after = withStep(branched, { roundId: 'c', lane: 0, step: 1 }, step('more'));
    expect(after.rounds.at(-1)?.answers[0]?.steps.map(({ text }) => text)).toEqual(['C', 'more']);
    expect(branched.rounds.at(-1)?.answers[0]?.steps.length).toBe(1);
  });
});

describe('what is sent', () => {
  test('is the branch that is shown, and a later lane goes on from the first', () => {
    const rounds = [round('a', undefined, 'A'), round('b', 'a', 'B1', 'B2'), round('c', 'b', '', '')];
    const said = (lane: number) =>
      buildAsk({ rounds, lane, model: 'm', stepsKept: 0 }, checked).messages.map((message) =>
        message.role === 'tool' ? '' : message.text,
      );
    expect(said(0)).toEqual(['question a', 'A', 'question b', 'B1', 'question c']);
    expect(said(1)).toEqual(['question a', 'A', 'question b', 'B2', 'question c']);
  });

  test('calls go with their results; a call that nobody answered is left out', () => {
    const calls = [{ id: '1', name: 'look', arguments: '{}', result: 'seen' }];
    const open = [{ id: '2', name: 'look', arguments: '{}' }];
    const answer = { model: 'm', steps: [step('', { calls }), step('', { calls: open })] };
    const rounds = [{ ...round('a', undefined), answers: [answer] }];
    const { messages } = buildAsk({ rounds, lane: 0, model: 'm', stepsKept: 2 }, checked);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(awaitsResults(answer)).toBe(true);
    expect(awaitsResults({ ...answer, steps: [step('', { calls: open, isStopped: true })] })).toBe(false);
  });

  test('what failed before it said anything never happened', () => {
    const failure = { message: 'no', code: 'x', requestId: '', status: 500 };
    const rounds = [
      { ...round('a', undefined), answers: [{ model: 'm', steps: [step('', { failure })] }] },
      round('b', 'a'),
    ];
    expect(buildAsk({ rounds, lane: 0, model: 'm', stepsKept: 0 }, checked).messages.length).toBe(2);
  });
});

describe('settings', () => {
  const read = (parameters: object) => readSettings({ ...emptySettings, parameters }, takenSettings('chat', undefined));

  test('only what is a number within its range is sent; what the format cannot say stays behind', () => {
    expect(read({ temperature: '0.5', seed: '7', stop: 'A\n\nB', effort: 'low', topK: '3' })).toMatchObject({
      checked: { parameters: { temperature: 0.5, seed: 7, stop: ['A', 'B'], effort: 'low' } },
      faults: [],
    });
    expect(read({ topK: '3' }).checked.parameters).toEqual({});
    expect(read({ temperature: '3', seed: '1.5', maxTokens: 'many' }).faults).toEqual([
      'temperature',
      'maxTokens',
      'seed',
    ]);
    expect(read({ temperature: ' ' })).toMatchObject({ checked: { parameters: {} }, faults: [] });
  });

  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  test.each([
    ['one tool', { name: 'look', parameters: schema }],
    ['a list', [{ name: 'look', input_schema: schema }]],
    ['the chat format’s', [{ type: 'function', function: { name: 'look', parameters: schema } }]],
    ['with its holder', { tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: schema }] }] }],
  ])('tools are read from %s', (_, value) => {
    expect(readTools(JSON.stringify(value))).toEqual([{ name: 'look', schema }]);
  });

  test('a schema alone is a tool named by its title', () => {
    expect(readTools(JSON.stringify({ title: 'Find It', ...schema }))?.[0]?.name).toBe('Find_It');
    for (const text of ['{', '5', '[]', '{"a":1}', 'null']) expect(readTools(text)).toBeUndefined();
    expect(readTools(' ')).toEqual([]);
  });

  test('a schema that is no object is told', () => {
    const faults = (schemaText: string) =>
      readSettings({ ...emptySettings, schemaText }, takenSettings('chat', undefined)).faults;
    expect(faults('{"type":"object"}')).toEqual([]);
    expect(faults('[1]')).toEqual(['schema']);
  });
});

describe('amounts', () => {
  const facts = {
    format: 'chat',
    provider: '',
    requestId: '',
    totalMs: 1,
    inputTokens: 1_000,
    outputTokens: 3,
  } as const;
  const priced = (prompt: string, completion: string): PlaygroundModel => ({
    id: 'm',
    providers: [],
    operations: [],
    inputModalities: [],
    outputModalities: [],
    pricing: { prompt, completion },
  });

  test('an estimate is exact to the billionth', () => {
    expect(estimatedCostNano(priced('0.000003', '0.000015'), facts)).toBe('3045000');
    expect(estimatedCostNano(priced('0.0000000001', '0'), facts)).toBe('100');
    expect(estimatedCostNano(priced('cheap', '0'), facts)).toBeUndefined();
    expect(estimatedCostNano(undefined, facts)).toBeUndefined();
  });

  test('what the gateway says in dollars keeps its digits', () => {
    expect(nanoOf('0.000000042')).toBe('42');
    expect(nanoOf('12')).toBe('12000000000');
  });

  test('a speed needs a span', () => {
    expect(tokensPerSecond({ ...facts, outputTokens: 50, writingMs: 500 })).toBe(100);
    expect(tokensPerSecond({ ...facts, writingMs: 3 })).toBeUndefined();
  });
});

describe('files', () => {
  test('keep their bytes and find their type', () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    expect(Uint8Array.from(atob(base64Of(bytes)), (letter) => letter.charCodeAt(0))).toEqual(bytes);
    expect(mediaTypeOf({ type: '', name: 'a.rs' })).toBe('text/plain');
    expect(mediaTypeOf({ type: '', name: 'a.bin' })).toBe('application/octet-stream');
  });

  test('are offered to models that take them', () => {
    expect(takesFiles([])).toBe(true);
    expect(takesFiles(['text'])).toBe(false);
    expect(takesFiles(['text', 'image'])).toBe(true);
  });
});

test('a title is a line that fits', () => {
  expect(titleOf('  One line\nand more')).toBe('One line');
  expect(titleOf('word '.repeat(40)).length).toBeLessThanOrEqual(60);
});
