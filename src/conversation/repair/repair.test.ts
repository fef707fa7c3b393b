/** Proves that a conversation is repaired as the target demands, no further, and that its text stays as it is. */

import { describe, expect, test } from 'bun:test';
import type { Message, Part, ToolCallPart, ToolResultPart } from '../parts.ts';
import { requestDefaults, type TextRequest } from '../text-request.ts';
import { repair } from './repair.ts';
import type { ConversationRules } from './rules.ts';

const target = { format: 'a-format', provider: 'a-provider', model: 'a-model' };
const ownSeal = { value: 'own', origin: target };
const foreignSeal = { value: 'foreign', origin: { ...target, model: 'another' } };
const callId = { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 64 };

function requestOf(...messages: Message[]): TextRequest {
  return {
    model: 'm',
    messages,
    ...requestDefaults,
  };
}

function repaired(rules: ConversationRules, ...messages: Message[]) {
  const { value, losses } = repair(requestOf(...messages), rules, target);
  return { messages: value.messages, losses: losses.map(({ what }) => what) };
}

const text = (words: string): Part => ({ type: 'text', text: words });
const user = (...parts: (Part | string)[]): Message => turn('user', parts);
const assistant = (...parts: (Part | string)[]): Message => turn('assistant', parts);
const tool = (...parts: Part[]): Message => turn('tool', parts);
const instruction = (...parts: (Part | string)[]): Message => turn('instruction', parts);
const turn = (role: Message['role'], parts: readonly (Part | string)[]): Message => ({
  role,
  parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
});
const call = (id: string, name = 'look'): ToolCallPart => ({ type: 'tool-call', id, name, arguments: '{}' });
const result = (id: string, words = `result of ${id}`, name?: string): ToolResultPart => ({
  type: 'tool-result',
  callId: id,
  parts: [{ type: 'text', text: words }],
  failed: false,
  ...(name !== undefined && { name }),
});
const noResult = (id: string, name = 'look'): ToolResultPart => ({
  ...result(id, 'No result was given.', name),
  failed: true,
});

describe('nothing to repair', () => {
  test('the request stays the same object, whatever the rules', () => {
    const request = requestOf(
      instruction('Be brief.'),
      user('hello'),
      assistant({ type: 'thinking', text: 'hm', seal: ownSeal }, 'I look.', call('c1'), call('c2')),
      tool(result('c2'), result('c1')),
      assistant('done'),
    );
    const all = { callId, alternates: true, userFirst: true, instructionsFirst: true, pairsCalls: true };
    const { value, losses } = repair(request, { ...all, rejectsBlankText: true }, target);
    expect(value).toBe(request);
    expect(losses).toEqual([]);
  });

  test('a format without rules takes everything as it comes', () => {
    const request = requestOf(assistant(call('')), assistant(' '), instruction('x'), tool(result('?')), user());
    expect(repair(request, {}, target)).toEqual({ value: request, losses: [] });
    expect(repair(request, {}, target).value).toBe(request);
  });

  test('what is untouched is shared, not copied', () => {
    const request = requestOf(user('hello'), assistant('a', call('c 1')), tool(result('c 1')));
    const { value } = repair(request, { callId }, target);
    expect(value.messages[0]).toBe(request.messages[0] as Message);
    expect(value.messages[1]?.parts[0]).toBe(request.messages[1]?.parts[0] as Part);
    expect(value.tools).toBe(request.tools);
  });
});

describe('seals', () => {
  test('a foreign one is taken off thoughts, texts and calls, each reported; its own stays', () => {
    const { messages, losses } = repaired(
      {},
      assistant(
        { type: 'thinking', text: 'hm', seal: foreignSeal },
        { type: 'thinking', text: 'hm', seal: ownSeal },
        { type: 'text', text: 'a', seal: foreignSeal },
        { ...call('c1'), seal: foreignSeal },
      ),
    );
    expect(messages).toStrictEqual([
      assistant({ type: 'thinking', text: 'hm' }, { type: 'thinking', text: 'hm', seal: ownSeal }, 'a', call('c1')),
    ]);
    expect(losses).toEqual([
      'messages[0] thinking signature',
      'messages[0] text signature',
      'messages[0] tool-call signature',
    ]);
  });

  test('hidden thoughts without a fitting seal go, and with them a turn that held nothing else', () => {
    const { messages, losses } = repaired(
      {},
      user('a'),
      assistant({ type: 'thinking', text: '', redacted: true, seal: foreignSeal }),
      assistant({ type: 'thinking', text: '', redacted: true }, { type: 'thinking', text: '', seal: foreignSeal }, 'b'),
      assistant({ type: 'thinking', text: '', redacted: true, seal: ownSeal }),
    );
    expect(messages).toEqual([
      user('a'),
      assistant('b'),
      assistant({ type: 'thinking', text: '', redacted: true, seal: ownSeal }),
    ]);
    expect(losses).toEqual([
      'messages[1] redacted thinking',
      'messages[1]',
      'messages[2] redacted thinking',
      'messages[2] thinking signature',
    ]);
  });
});

describe('ids of calls', () => {
  const idsOf = (messages: readonly Message[]) =>
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-call' ? part.id : part.type === 'tool-result' ? part.callId : [])),
    );

  test('are replaced where they do not fit, in calls and results alike, without a loss', () => {
    const long = 'x'.repeat(65);
    const { messages, losses } = repaired(
      { callId },
      assistant(call('functions.look:0'), call(long), call('fine-1')),
      tool(result('fine-1'), result(long), result('functions.look:0')),
    );
    const [first, second, third, ...results] = idsOf(messages);
    expect(first).toMatch(/^call_[a-zA-Z0-9]{24}$/);
    expect(second).toMatch(/^call_[a-zA-Z0-9]{24}$/);
    expect(first).not.toBe(second);
    expect(third).toBe('fine-1');
    expect(results).toEqual(['fine-1', second as string, first as string]);
    expect(losses).toEqual([]);
  });

  test('are the same ones in every later request', () => {
    const early = repaired({ callId }, assistant(call('ü'), call('')), tool(result('ü'), result('')));
    const later = repaired(
      { callId },
      assistant(call('ü'), call('')),
      tool(result('ü'), result('')),
      user('and now?'),
      assistant(call('')),
    );
    expect(idsOf(later.messages).slice(0, 4)).toEqual(idsOf(early.messages));
    expect(new Set(idsOf(later.messages)).size).toBe(3);
  });

  test('fit formats that want exactly nine letters and digits', () => {
    const nine = { pattern: /^[a-zA-Z0-9]{9}$/, charactersMax: 9 };
    const { messages } = repaired({ callId: nine }, assistant(...'abcdefgh'.split('').map((id) => call(id))));
    const ids = idsOf(messages);
    for (const id of ids) expect(id).toMatch(nine.pattern);
    expect(new Set(ids).size).toBe(8);
  });

  test('stay distinct where the alphabet is nearly used up', () => {
    const tiny = { pattern: /^[a-zA-Z0-9]+$/, charactersMax: 1 };
    const { messages } = repaired(
      { callId: tiny },
      assistant(...Array.from({ length: 60 }, (_, id) => call(`c${id}`))),
    );
    expect(new Set(idsOf(messages)).size).toBe(60);
  });

  test('that are missing are made, and results find their calls by name and order', () => {
    const { messages, losses } = repaired(
      { callId, pairsCalls: true },
      assistant(call('', 'look'), call('', 'count'), call('', 'look')),
      tool(result('', 'counted', 'count'), result('', 'first', 'look'), result('', 'second', 'look')),
    );
    const [look, count, again] = idsOf(messages) as [string, string, string];
    expect(messages[1]?.parts).toEqual([
      result(count, 'counted', 'count'),
      result(look, 'first', 'look'),
      result(again, 'second', 'look'),
    ]);
    expect(losses).toEqual([]);
  });

  test('that only the answer has, or that have neither id nor name, still find their call', () => {
    const named = repaired({ callId }, assistant(call('', 'look')), tool(result('own', 'seen', 'look')));
    expect(idsOf(named.messages)[0]).toBe(idsOf(named.messages)[1] as string);
    const bare = repaired({ callId }, assistant(call('', 'a'), call('', 'b')), tool(result(''), result('')));
    const [a, b, ...results] = idsOf(bare.messages);
    expect(results).toEqual([a as string, b as string]);
  });

  test('that are used twice become unique where pairs are demanded, and the newest call gets the answer', () => {
    const { messages, losses } = repaired(
      { pairsCalls: true },
      assistant(call('0')),
      user('never mind'),
      assistant(call('0'), call('0')),
      tool(result('0', 'one'), result('0', 'two')),
    );
    const [old, , first, second] = idsOf(messages) as [string, string, string, string];
    expect(old).toBe('0');
    expect(new Set([old, first, second]).size).toBe(3);
    expect(messages).toEqual([
      assistant(call('0')),
      tool(noResult('0')),
      user('never mind'),
      assistant(call(first), call(second)),
      tool(result(first, 'one'), result(second, 'two')),
    ]);
    expect(losses).toEqual(['tool call look']);
  });
});

describe('calls and results', () => {
  const rules = { pairsCalls: true };

  test('a call without a result gets an error as its result', () => {
    const { messages, losses } = repaired(rules, assistant(call('a'), call('b')), tool(result('b')), user('continue'));
    expect(messages).toEqual([assistant(call('a'), call('b')), tool(noResult('a'), result('b')), user('continue')]);
    expect(losses).toEqual(['tool call look']);
  });

  test("a result without a call is kept as the user's words", () => {
    const image: Part = { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a.example/b.png' } };
    const lost: ToolResultPart = { ...result('x', 'seen', 'look'), parts: [{ type: 'text', text: 'seen' }, image] };
    const { messages, losses } = repaired(rules, user('hello'), tool(lost), assistant('hm'));
    expect(messages).toEqual([user('hello'), user('seen', image), assistant('hm')]);
    expect(losses).toEqual(['tool result look']);
  });

  test('a second result of the same call answers no call', () => {
    const { messages, losses } = repaired(rules, assistant(call('a')), tool(result('a', 'one'), result('a', 'two')));
    expect(messages).toEqual([assistant(call('a')), user(result('a', 'one'), 'two')]);
    expect(losses).toEqual(['tool result a']);
  });

  test('results move to their calls, over turns and out of mixed turns', () => {
    const { messages, losses } = repaired(
      rules,
      assistant(call('a')),
      user('wait'),
      assistant(call('b')),
      user('here', result('b'), result('a')),
    );
    expect(messages).toEqual([
      assistant(call('a')),
      tool(result('a')),
      user('wait'),
      assistant(call('b')),
      tool(result('b')),
      user('here'),
    ]);
    expect(losses).toEqual([]);
  });

  test('results that follow in several turns stay as they are', () => {
    const request = requestOf(assistant(call('a'), call('b')), tool(result('b')), user(result('a'), 'and?'));
    expect(repair(request, rules, target).value).toBe(request);
  });

  test('calls spread over adjacent turns become one turn where turns must alternate', () => {
    const { messages, losses } = repaired(
      { ...rules, alternates: true },
      assistant(call('a')),
      assistant(call('b')),
      tool(result('a')),
      tool(result('b')),
      user('and?'),
    );
    expect(messages).toEqual([assistant(call('a'), call('b')), user(result('a'), result('b'), 'and?')]);
    expect(losses).toEqual([]);
  });
});

describe('turns', () => {
  test('adjacent turns merge, results first; instructions do not', () => {
    const { messages, losses } = repaired(
      { alternates: true },
      instruction('a'),
      instruction('b'),
      user('c', 'd'),
      { ...user('e'), name: 'Ann' },
      tool(result('x')),
      assistant('f'),
      assistant('g'),
      tool(result('y')),
      tool(result('z')),
    );
    expect(messages).toEqual([
      instruction('a'),
      instruction('b'),
      user(result('x'), 'c', 'd', 'e'),
      assistant('f', 'g'),
      tool(result('y'), result('z')),
    ]);
    expect(losses).toEqual(['name']);
  });

  test('a name that all of them share is kept', () => {
    const ann = (words: string): Message => ({ ...user(words), name: 'Ann' });
    const { messages, losses } = repaired({ alternates: true }, ann('a'), tool(result('x')), ann('b'));
    expect(messages).toEqual([{ ...user(result('x'), 'a', 'b'), name: 'Ann' }]);
    expect(losses).toEqual([]);
  });

  test('the smallest user turn comes first only where it must', () => {
    const rules = { userFirst: true };
    expect(repaired(rules, instruction('i'), assistant('a'))).toEqual({
      messages: [instruction('i'), user('…'), assistant('a')],
      losses: ['messages'],
    });
    expect(repaired(rules, instruction('i')).messages).toEqual([instruction('i'), user('…')]);
    expect(repaired(rules, instruction('i'), tool(result('x'))).losses).toEqual([]);
    expect(repaired({}, assistant('a')).messages).toEqual([assistant('a')]);
  });

  test("instructions in the middle become the user's turns with their text unchanged", () => {
    const inside: Message = { ...instruction(' "be" brief '), authority: 'developer' };
    const rules = { instructionsFirst: true };
    const { messages, losses } = repaired(rules, instruction('i'), user('a'), inside, assistant('b'));
    expect(messages).toStrictEqual([instruction('i'), user('a'), user(' "be" brief '), assistant('b')]);
    expect(losses).toEqual(['messages[2] instruction']);
  });

  test('servers that take one instruction get one, and later ones join the turn of the user beside them', () => {
    const rules = { instructionsFirst: true, oneInstruction: true, joinsUsers: true };
    const begun = [{ ...instruction('a'), authority: 'system' as const }, instruction('b', 'c'), user('d')];
    const first = repaired(rules, ...begun, instruction('e'));
    expect(first.messages).toEqual([{ ...instruction('a', 'b', 'c'), authority: 'system' }, user('d', 'e')]);
    expect(first.losses).toEqual(['messages[3] instruction']);
    // What was sent before stays as it was, so that a provider finds it in its cache.
    const second = repaired(rules, ...begun, instruction('e'), assistant('f'), user('g'), instruction('h'));
    expect(second.messages.slice(0, 2)).toEqual([...first.messages]);
    expect(second.messages.slice(2)).toEqual([assistant('f'), user('g', 'h')]);
  });

  test('results and the model’s adjacent turns stay apart where only the user’s are joined', () => {
    const turns = [
      user('a'),
      assistant(call('x')),
      tool(result('x')),
      user('b'),
      user('c'),
      assistant('d'),
      assistant('e'),
    ];
    expect(repaired({ joinsUsers: true, pairsCalls: true }, ...turns).messages).toEqual([
      ...turns.slice(0, 3),
      user('b', 'c'),
      ...turns.slice(5),
    ]);
  });

  test('a result that answers no call keeps its place among the user’s words', () => {
    const rules = { alternates: true, pairsCalls: true };
    const { messages } = repaired(rules, user('before'), tool(result('lost', 'found')), user('after'));
    expect(messages).toEqual([user('before', 'found', 'after')]);
    const mixed = repaired(
      rules,
      user('a'),
      assistant(call('x')),
      user('before'),
      tool(result('lost', 'found'), result('x')),
    );
    expect(mixed.messages).toEqual([user('a'), assistant(call('x')), user(result('x'), 'before', 'found')]);
  });
});

describe('blank text', () => {
  const rules = { rejectsBlankText: true };

  test('goes, and an empty turn is reported when it goes with it', () => {
    const { messages, losses } = repaired(
      rules,
      user('', 'a', ' \n\t'),
      assistant('  '),
      user(),
      assistant({ type: 'refusal', text: '' }, call('c')),
      tool({ ...result('c', ' '), parts: [{ type: 'text', text: '' }] }),
    );
    expect(messages).toEqual([user('a'), assistant(call('c')), tool({ ...result('c'), parts: [] })]);
    expect(losses).toEqual(['messages[1]', 'messages[2]']);
  });

  test('stays where its seal says something; its cache mark is not lost silently', () => {
    const { messages, losses } = repaired(
      rules,
      user('a', { type: 'text', text: '', seal: ownSeal }, { type: 'text', text: '', cacheMark: {} }),
    );
    expect(messages).toEqual([user('a', { type: 'text', text: '', seal: ownSeal })]);
    expect(losses).toEqual(['messages[0] cache mark']);
  });

  test('surrounding white space of what does say something is untouched', () => {
    const request = requestOf(user('  a  '));
    expect(repair(request, rules, target).value).toBe(request);
  });
});
