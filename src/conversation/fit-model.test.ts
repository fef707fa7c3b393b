/** What a model does not take is converted where the meaning survives, and reported where it does not. */

import { describe, expect, test } from 'bun:test';
import { fitToModel } from './fit-model.ts';
import type { ModelProfile } from './model-profile.ts';
import type { Message } from './parts.ts';
import type { ConversationRules } from './repair/rules.ts';
import { requestDefaults, type TextRequest } from './text-request.ts';

const user: Message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };
const plain: TextRequest = { model: 'm', messages: [user], ...requestDefaults };
const tools = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

function fit(fields: Partial<TextRequest>, profile: ModelProfile, rules: ConversationRules = {}) {
  const { value, losses } = fitToModel({ ...plain, ...fields }, profile, rules);
  return { value, lost: losses.map(({ what }) => what) };
}

test('a request that fits stays the same object', () => {
  const request: TextRequest = {
    ...plain,
    temperature: 0.5,
    user: 'u',
    maxOutputTokens: 5,
    tools,
    toolChoice: { kind: 'allowed', names: ['a'], required: true },
    output: { kind: 'json-schema', schema: {} },
  };
  expect(fitToModel(request, {}).value).toBe(request);
  expect(fitToModel(request, { outputTokensMax: 5, temperatureMax: 0.5, allowedTools: 'taken' }).value).toBe(request);
});

describe('parameters', () => {
  test('those that it refuses are dropped and reported; a default is no loss', () => {
    const refuses = [
      'temperature',
      'topP',
      'stop',
      'seed',
      'presencePenalty',
      'parallelToolCalls',
      'verbosity',
    ] as const;
    const asked = { temperature: 0.2, topP: 0.9, stop: ['x'], seed: 7, presencePenalty: 1, parallelToolCalls: false };
    const { value, lost } = fit({ ...asked, verbosity: 'low' }, { refuses });
    expect(value).toEqual(plain);
    expect(lost).toEqual([
      'temperature',
      'top_p',
      'stop',
      'seed',
      'presence_penalty',
      'parallel_tool_calls',
      'verbosity',
    ]);
    const anyway = { temperature: 1, topP: 1, presencePenalty: 0, parallelToolCalls: true, verbosity: 'medium' };
    expect(fit(anyway, { refuses })).toEqual({ value: plain, lost: [] });
  });

  test('those that it refuses while it thinks are left out then only', () => {
    const profile: ModelProfile = {
      refusesWhileThinking: ['temperature'],
      thinking: { kind: 'effort', efforts: ['none', 'low', 'high'], byDefault: 'none' },
    };
    expect(fit({ temperature: 0.2 }, profile).lost).toEqual([]);
    expect(fit({ temperature: 0.2, thinking: { effort: 'low' } }, profile).lost).toEqual(['temperature']);
    expect(fit({ temperature: 0.2, thinking: { mode: 'off' } }, profile).lost).toEqual([]);
  });

  test('amounts are cut to what it accepts', () => {
    const profile: ModelProfile = { outputTokensMax: 16_384, temperatureMax: 1, stopsMax: 1 };
    const { value, lost } = fit({ maxOutputTokens: 32_000, temperature: 1.5, stop: ['a', 'b'] }, profile);
    expect([value.maxOutputTokens, value.temperature, value.stop]).toEqual([16_384, 1, ['a']]);
    expect(lost).toEqual(['max_tokens', 'temperature', 'stop']);
    expect(fit({ maxOutputTokens: 16_384, temperature: 1, stop: ['a'] }, profile).lost).toEqual([]);
    expect(fit({ temperature: 1.5 }, { ...profile, refuses: ['temperature'] }).lost).toEqual(['temperature']);
  });

  test('of a temperature and the share of the likeliest only the first is kept, where both are refused', () => {
    const profile: ModelProfile = { temperatureWithTopP: 'refused' };
    expect(fit({ temperature: 0.5, topP: 0.9 }, profile)).toEqual({
      value: { ...plain, temperature: 0.5 },
      lost: ['top_p'],
    });
    expect(fit({ topP: 0.9 }, profile).value.topP).toBe(0.9);
    expect(fit({ temperature: 0.5, topP: 0.9 }, { ...profile, refuses: ['temperature'] }).value.topP).toBe(0.9);
  });

  test('thinking of a model that is only known to refuse it is not asked for', () => {
    expect(fit({ thinking: { effort: 'high' } }, { refuses: ['thinking'] })).toEqual({
      value: plain,
      lost: ['thinking'],
    });
    expect(fit({ thinking: { mode: 'off' } }, { refuses: ['thinking'] })).toEqual({ value: plain, lost: [] });
  });
});

describe("the end user's id", () => {
  const long = JSON.stringify({ device_id: 'd'.repeat(100), session_id: 's' });
  const digest = new Bun.CryptoHasher('sha256').update(long).digest('hex');
  const idOf = (user: string, profile: ModelProfile, rules: ConversationRules = {}) => fit({ user }, profile, rules);

  test('is replaced by its digest where it does not fit, which is no loss', () => {
    const openai: ModelProfile = { userId: { charactersMax: 64 } };
    expect(idOf(long, openai)).toEqual({ value: { ...plain, user: digest }, lost: [] });
    expect(idOf('u'.repeat(64), openai).value.user).toBe('u'.repeat(64));
    expect(idOf('abc', { userId: { charactersMin: 6, charactersMax: 128 } }).value.user).toHaveLength(64);
    expect(idOf('a@b.example', { userId: { pattern: '[a-zA-Z0-9_-]+' } }).value.user).toMatch(/^[0-9a-f]{64}$/);
    expect(idOf(long, { userId: { charactersMax: 32 } }).value.user).toBe(digest.slice(0, 32));
  });

  test('of an unknown model is bounded by the format alone', () => {
    expect(idOf(long, {}).value.user).toBe(long);
    expect(idOf(long, {}, { userIdCharactersMax: 64 }).value.user).toBe(digest);
    expect(idOf(long, { userId: { charactersMax: 500 } }, { userIdCharactersMax: 64 }).value.user).toBe(long);
  });

  test('is left out and reported where not even a digest is taken', () => {
    expect(idOf('x', { userId: { pattern: '\\d+', charactersMax: 3, charactersMin: 4 } })).toEqual({
      value: plain,
      lost: ['user'],
    });
  });
});

describe('the choice among tools', () => {
  const some = { kind: 'allowed', names: ['a', 'c'], required: true } as const;

  test('only the allowed ones are declared, unless a list of them is known to be accepted', () => {
    const copied = { copied: true };
    const narrowed = { ...plain, tools: [{ name: 'a' }, { name: 'c' }], toolChoice: { kind: 'required' as const } };
    expect(fit({ tools, toolChoice: some }, {}, copied)).toEqual({ value: narrowed, lost: [] });
    expect(fit({ tools, toolChoice: some }, { allowedTools: 'refused' }).value).toEqual(narrowed);
    expect(fit({ tools, toolChoice: { ...some, required: false } }, {}, copied).value.toolChoice).toEqual({
      kind: 'auto',
    });
    expect(fit({ tools, toolChoice: some }, { allowedTools: 'taken' }, copied).value.toolChoice).toEqual(some);
    expect(fit({ tools, toolChoice: some }, {}).value.toolChoice).toEqual(some);
  });

  test('to allow all of them is to choose freely among them', () => {
    const all = { ...some, names: ['c', 'b', 'a'] };
    const { value } = fit({ tools, toolChoice: all }, { allowedTools: 'taken' });
    expect([value.tools, value.toolChoice]).toEqual([tools, { kind: 'required' }]);
  });

  test('a model that cannot be forced to call a tool gets no such choice, and the loss is reported', () => {
    const profile: ModelProfile = { forcedTools: 'refused' };
    expect(fit({ tools, toolChoice: { kind: 'required' } }, profile)).toEqual({
      value: { ...plain, tools },
      lost: ['tool_choice'],
    });
    expect(fit({ tools, toolChoice: { kind: 'tool', name: 'b' } }, profile)).toEqual({
      value: { ...plain, tools: [{ name: 'b' }] },
      lost: ['tool_choice'],
    });
    expect(fit({ tools, toolChoice: { kind: 'none' } }, profile).value.toolChoice).toEqual({ kind: 'none' });
    const none = fit({ tools, toolChoice: { kind: 'none' } }, { refuses: ['toolChoice'] });
    expect([none.value.tools, none.value.toolChoice, none.lost]).toEqual([[], { kind: 'auto' }, []]);
  });
});

describe('a reply in JSON', () => {
  const schema = { type: 'object', properties: { metres: { type: 'number' } } };
  const shape: TextRequest['output'] = { kind: 'json-schema', schema, description: 'How high.' };
  const wordsOf = ({ value }: ReturnType<typeof fit>) =>
    value.messages.flatMap(({ role, parts }) =>
      role === 'instruction' ? parts.map((part) => (part.type === 'text' ? part.text : '')) : [],
    );

  test('a schema that is refused is asked for in the prompt, in JSON mode where there is one', () => {
    const asked = fit({ output: shape }, { refuses: ['schemaOutput'] });
    expect([asked.value.output, asked.lost]).toEqual([{ kind: 'json' }, ['output schema']]);
    expect(wordsOf(asked).join()).toContain(JSON.stringify(schema));
    expect(wordsOf(asked).join()).toContain('How high.');
    expect(fit({ output: shape }, { refuses: ['schemaOutput', 'jsonOutput'] }).value.output).toEqual({ kind: 'text' });
    expect(fit({ output: shape }, { refuses: ['schemaOutput'] }, { lacksJsonMode: true }).value.output).toEqual({
      kind: 'text',
    });
    expect(fit({ output: shape }, { refuses: ['jsonOutput'] }).lost).toEqual([]);
  });

  test('JSON is asked for in the prompt where there is no JSON mode', () => {
    const asked = fit({ output: { kind: 'json' } }, {}, { lacksJsonMode: true });
    expect([asked.value.output, asked.lost]).toEqual([{ kind: 'text' }, ['JSON mode']]);
    expect(wordsOf(asked).join()).toContain('JSON object');
  });

  test('servers that require the word JSON in the conversation get it', () => {
    const silent = fit({ output: { kind: 'json' } }, {}, { copied: true });
    expect([wordsOf(silent).length, silent.lost]).toEqual([1, []]);
    const said: Message = { role: 'user', parts: [{ type: 'text', text: 'As Json, please.' }] };
    expect(wordsOf(fit({ output: { kind: 'json' }, messages: [said] }, {}, { copied: true }))).toEqual([]);
  });

  test('the request for JSON follows the existing instructions', () => {
    const rule: Message = { role: 'instruction', parts: [{ type: 'text', text: 'Be brief.' }], authority: 'developer' };
    const asked = fit({ output: { kind: 'json' }, messages: [rule, user] }, {}, { lacksJsonMode: true });
    expect(asked.value.messages.length).toBe(2);
    expect(asked.value.messages[0]).toMatchObject({ authority: 'developer', parts: [{ text: 'Be brief.' }, {}] });
  });
});
