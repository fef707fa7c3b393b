/** Proves over random conversations, tidy and careless ones, that a repaired one obeys the rules and loses no text. */

import { describe, expect, test } from 'bun:test';
import { disordered } from '../../test/harness/disordered.ts';
import { Random, randomRequest } from '../../test/harness/random-conversation.ts';
import { sized } from '../../test/harness/size.ts';
import { LossList } from './loss-list.ts';
import type { Message, Part } from './parts.ts';
import { repair } from './repair/repair.ts';
import type { ConversationRules } from './repair/rules.ts';
import { hasTidyCalls } from './repair/tidy-calls.ts';
import { repairedCalls } from './repair/tool-calls.ts';
import { sealFits } from './seals/seal.ts';
import type { TextRequest } from './text-request.ts';

const target = { format: 'a-format', provider: 'a-provider', model: 'a-model' };
const stranger = { format: 'b-format', provider: 'b-provider', model: 'b-model' };
const strictest = {
  callId: { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 64 },
  alternates: true,
  userFirst: true,
  instructionsFirst: true,
  pairsCalls: true,
  rejectsBlankText: true,
} satisfies ConversationRules;
const cases = sized(250, 4_000);

function carelessRequest(seed: number): { request: TextRequest; random: Random } {
  const random = new Random(seed);
  return { request: disordered(randomRequest(random, target), random, stranger), random };
}

function someRules(random: Random): ConversationRules {
  return Object.fromEntries(random.some(Object.entries(strictest)));
}

test(`a tidy conversation passes the strictest rules as the same object, over ${cases} of them`, () => {
  for (let seed = 0; seed < cases; seed += 1) {
    const request = randomRequest(new Random(seed), target, { without: ['blank-text'] });
    const { value, losses } = repair(request, strictest, target);
    expect({ seed, same: value === request, losses }).toEqual({ seed, same: true, losses: [] });
  }
});

test(`a second repair changes nothing, over ${cases} careless conversations and random rules`, () => {
  let repaired = 0;
  for (let seed = 0; seed < cases; seed += 1) {
    const { request, random } = carelessRequest(seed);
    const rules = someRules(random);
    const once = repair(request, rules, target);
    if (once.value !== request) repaired += 1;
    const twice = repair(once.value, rules, target);
    expect({ seed, rules, same: twice.value === once.value, losses: twice.losses }).toEqual({
      seed,
      rules,
      same: true,
      losses: [],
    });
  }
  expect(repaired).toBeGreaterThan(cases / 2);
});

test(`the quick check of calls agrees with the thorough one, over ${cases} conversations of both kinds`, () => {
  const seen = { tidy: 0, untidy: 0 };
  for (let seed = 0; seed < cases; seed += 1) {
    const random = new Random(seed);
    const tidy = randomRequest(random, target);
    const { messages } = random.chance() ? tidy : disordered(tidy, random, stranger);
    const { callId } = strictest;
    const rules = random.pick<ConversationRules>([{ callId }, { pairsCalls: true }, { callId, pairsCalls: true }]);
    const quick = hasTidyCalls(messages, rules);
    const thorough = repairedCalls(messages, rules, new LossList()) === messages;
    expect({ seed, quick }).toEqual({ seed, quick: thorough });
    seen[quick ? 'tidy' : 'untidy'] += 1;
  }
  expect(Math.min(seen.tidy, seen.untidy)).toBeGreaterThan(cases / 10);
});

describe(`the strictest rules hold afterwards, over ${cases} careless conversations`, () => {
  const each = (check: (messages: readonly Message[], request: TextRequest) => unknown, good: unknown) => () => {
    for (let seed = 0; seed < cases; seed += 1) {
      const { request } = carelessRequest(seed);
      const { messages } = repair(request, strictest, target).value;
      expect({ seed, found: check(messages, request) }).toEqual({ seed, found: good });
    }
  };

  test('instructions come first, then the user, then they alternate', each(wrongTurns, []));
  test('each call has its result in the next turn, before anything else there', each(wrongPairs, []));
  test('ids fit and are unique', each(wrongIds, []));
  test('no turn is empty, no text blank, no seal foreign', each(wrongParts, []));
  test(
    'not a word is lost, altered or invented beyond what the target demands',
    each((messages, request) => difference(wordsOf(request.messages), wordsOf(messages)), []),
  );
  test(
    'the order of an assistant’s own parts stays',
    each((messages, request) => difference(spoken(request.messages), spoken(messages), false), []),
  );
});

test('a conversation of 60,000 turns is repaired', () => {
  const messages: Message[] = [];
  for (let index = 0; index < 20_000; index += 1) {
    messages.push({
      role: 'assistant',
      parts: [{ type: 'tool-call', id: index % 3 === 0 ? '' : `c.${index}`, name: 'look', arguments: '' }],
    });
    messages.push({ role: 'user', parts: [{ type: 'text', text: 'x' }] });
  }
  for (let index = 19_999; index >= 0; index -= 1) {
    messages.push({ role: 'tool', parts: [{ type: 'tool-result', callId: `c.${index}`, parts: [], failed: false }] });
  }
  const request = { ...randomRequest(new Random(1), target), messages };
  const { value } = repair(request, strictest, target);
  expect(wrongPairs(value.messages)).toEqual([]);
});

function wrongTurns(messages: readonly Message[]): string[] {
  const sides = messages.map(({ role }) => (role === 'tool' ? 'user' : role));
  const turns = sides.slice(sides.lastIndexOf('instruction') + 1);
  const wrong = turns.filter((side, index) => side !== (index % 2 === 0 ? 'user' : 'assistant'));
  const early = sides.slice(0, sides.length - turns.length).filter((side) => side !== 'instruction');
  return [...wrong, ...early, ...(turns.length === 0 ? ['no turn'] : [])];
}

function wrongPairs(messages: readonly Message[]): string[] {
  const results = new Set<string>();
  const wrong = messages.flatMap(({ role, parts }, index) => {
    if (role !== 'assistant') return [];
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
    const answers = (messages[index + 1]?.parts ?? []).slice(0, calls.length);
    const ids = answers.map((part) => (part.type === 'tool-result' ? part.callId : part.type));
    for (const id of ids) if (calls.length > 0) results.add(id);
    return calls.toSorted().join() === ids.toSorted().join() ? [] : [`${calls} answered by ${ids}`];
  });
  const orphans = messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) =>
      part.type === 'tool-result' && !results.has(part.callId) ? [`${part.callId} answers no call`] : [],
    );
  return [...wrong, ...orphans];
}

function wrongIds(messages: readonly Message[]): string[] {
  const { pattern, charactersMax } = strictest.callId;
  const ids = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])));
  return ids.filter((id, index) => !pattern.test(id) || id.length > charactersMax || ids.indexOf(id) !== index);
}

function wrongParts(messages: readonly Message[]): unknown[] {
  const everyPart = messages.flatMap(({ parts }) => parts.flatMap((part) => [part, ...innerParts(part)]));
  return [
    ...messages.filter(({ parts }) => parts.length === 0),
    ...everyPart.filter((part) => part.type === 'text' && part.text.trim() === '' && part.seal === undefined),
    ...everyPart.filter((part) => 'seal' in part && part.seal !== undefined && !sealFits(part.seal, target)),
  ];
}

const innerParts = (part: Part): readonly Part[] => (part.type === 'tool-result' ? part.parts : []);

/** All text of all roles, media and thinking included, in any order. */
function wordsOf(messages: readonly Message[]): string[] {
  const said = messages.flatMap(({ parts }) => parts.flatMap((part) => [part, ...innerParts(part)]));
  return said.flatMap((part) => {
    if (part.type === 'text' || part.type === 'refusal') return part.text.trim() === '' ? [] : [part.text];
    if (part.type === 'tool-call') return [`call ${part.name} ${part.arguments}`];
    if (part.type === 'thinking') return part.redacted === true || part.text === '' ? [] : [part.text];
    return part.type === 'media' || part.type === 'native' ? [JSON.stringify(part)] : [];
  });
}

/** What the assistant says, in order. */
function spoken(messages: readonly Message[]): string[] {
  return messages.filter(({ role }) => role === 'assistant').flatMap((message) => wordsOf([message]));
}

const demanded = new Set(['…', 'No result was given.']);

function difference(before: readonly string[], after: readonly string[], sorted = true): string[] {
  const added = after.filter((words) => !demanded.has(words) || before.includes(words));
  const [one, other] = sorted ? [before.toSorted(), added.toSorted()] : [before, added];
  const lines: string[] = [];
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    if (one[index] !== other[index]) lines.push(`${one[index]} became ${other[index]}`);
  }
  return lines;
}
