/** Proves that a turn's seals return to their place when the client sends back nothing but its calls' ids. */

import { describe, expect, test } from 'bun:test';
import { Random, randomEvents, randomReply } from '../../../test/harness/random-conversation.ts';
import { sized } from '../../../test/harness/size.ts';
import type { Message, Part, ThinkingPart, ToolCallPart } from '../parts.ts';
import { requestDefaults, type TextRequest } from '../text-request.ts';
import {
  collectSealedTurns,
  forgottenTurns,
  restoreSealedTurns,
  type SealedTurn,
  SealedTurnCollector,
  thoughtlessTurns,
  unsealedCalls,
} from './sealed-turns.ts';

const origin = { format: 'a-format', provider: 'a-provider', model: 'a-model' };
const sealOf = (value: string) => ({ value, origin });
const thought = (words: string): ThinkingPart => ({ type: 'thinking', text: words, seal: sealOf(`seal of ${words}`) });
const hidden: ThinkingPart = { type: 'thinking', text: '', redacted: true, seal: sealOf('hidden') };
const plain = (words: string): Part => ({ type: 'thinking', text: words });
const text: Part = { type: 'text', text: 'I look.' };
const call = (id: string, seal?: string): ToolCallPart => ({
  type: 'tool-call',
  id,
  name: 'look',
  arguments: '{}',
  ...(seal !== undefined && { seal: sealOf(seal) }),
});

const nothing = { thinkingSeals: false, callSeals: false };

function requestOf(...parts: readonly Part[]): TextRequest {
  const messages: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'hello' }] },
    { role: 'assistant', parts },
    { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', parts: [], failed: false }] },
  ];
  return {
    model: 'm',
    messages,
    ...requestDefaults,
  };
}

/** What the client's parts become when the reply's parts were remembered; through text and back, as a store keeps them. */
function restored(reply: readonly Part[], ...echoed: readonly Part[]): readonly Part[] | undefined {
  const memo = new Map<string, string>();
  for (const [id, turn] of collectSealedTurns(reply, nothing)) memo.set(id, JSON.stringify(turn));
  const find = (id: string): SealedTurn | undefined => {
    const turn = memo.get(id);
    return turn === undefined ? undefined : JSON.parse(turn);
  };
  return restoreSealedTurns(requestOf(...echoed), find).messages[1]?.parts;
}

describe('what is remembered', () => {
  const reply = [
    hidden,
    plain('no seal'),
    thought('one'),
    text,
    call('a', 'sa'),
    thought('two'),
    call('b'),
    thought('three'),
  ];

  test('is for each call the sealed thoughts before it, and its own seal', () => {
    expect([...collectSealedTurns(reply, nothing)]).toEqual([
      ['a', { thinking: [hidden, thought('one')], callSeal: sealOf('sa') }],
      ['b', { thinking: [hidden, thought('one'), thought('two')] }],
    ]);
  });

  test('is only what the client does not carry itself', () => {
    expect([...collectSealedTurns(reply, { thinkingSeals: true, callSeals: true })]).toEqual([]);
    expect([...collectSealedTurns(reply, { thinkingSeals: true, callSeals: false })]).toEqual([
      ['a', { thinking: [], callSeal: sealOf('sa'), thought: true }],
      ['b', { thinking: [], thought: true }],
    ]);
    expect([
      ...(collectSealedTurns(reply, { thinkingSeals: false, callSeals: true }).get('a')?.thinking ?? []),
    ]).toEqual([hidden, thought('one')]);
  });

  test('is that the model thought, so that the loss of its thinking can be named', () => {
    const turns = collectSealedTurns(reply, { thinkingSeals: true, callSeals: false });
    const hadThought = (id: string) => turns.get(id)?.thought === true;
    expect(thoughtlessTurns(requestOf(call('a')), hadThought)).toEqual([1]);
    expect(thoughtlessTurns(requestOf(thought('one'), call('a')), hadThought)).toEqual([]);
    expect(thoughtlessTurns(requestOf(call('unknown')), hadThought)).toEqual([]);
  });

  test('is also that a call had nothing; a call without an id cannot be remembered', () => {
    expect([...collectSealedTurns([plain('x'), text, call('a'), call('', 's')], nothing)]).toEqual([
      ['a', { thinking: [] }],
    ]);
    expect(restored([call('a')], text, call('a'))).toEqual([text, call('a')]);
  });

  test('is the same from a stream, over random replies and every kind of client', () => {
    const replies = sized(1_000, 5_000);
    let found = 0;
    for (let seed = 0; seed < replies; seed += 1) {
      const random = new Random(seed);
      const carries = { thinkingSeals: random.chance(), callSeals: random.chance() };
      const whole = randomReply(random, origin);
      const collector = new SealedTurnCollector(carries);
      for (const event of randomEvents(whole, random)) collector.add(event);
      const wanted = whole.candidates.flatMap(({ parts }) => [...collectSealedTurns(parts, carries)]);
      found += wanted.length;
      expect({ seed, turns: [...collector.turns] }).toEqual({ seed, turns: wanted });
    }
    expect(found).toBeGreaterThan(200);
  }, 300_000);
});

describe('what is put back', () => {
  test('thinking opens the turn again, before the text that followed it', () => {
    expect(restored([hidden, thought('one'), text, call('a', 'sa')], text, call('a'))).toEqual([
      hidden,
      thought('one'),
      text,
      call('a', 'sa'),
    ]);
  });

  test('thinking between two calls returns to its place, none twice', () => {
    const reply = [thought('one'), call('a', 'sa'), thought('two'), call('b', 'sb')];
    expect(restored(reply, call('a'), call('b'))).toEqual(reply);
    const parallel = [thought('one'), call('a', 'sa'), call('b')];
    expect(restored(parallel, call('a'), call('b'))).toEqual(parallel);
  });

  test('text that the client echoed is replaced in its place, not doubled', () => {
    const reply = [hidden, thought('one'), thought('two'), text, call('a')];
    expect(restored(reply, plain('one'), plain('two'), text, call('a'))).toEqual(reply);
    expect(restored(reply, plain('onetwo'), text, call('a'))).toEqual(reply);
    expect(restored([text, thought('one'), call('a')], text, plain('one'), call('a'))).toEqual([
      text,
      thought('one'),
      call('a'),
    ]);
    expect(restored(reply, plain('something else'), call('a'))).toEqual([
      hidden,
      thought('one'),
      thought('two'),
      plain('something else'),
      call('a'),
    ]);
  });

  test('a turn that has sealed thinking, and a call that has its seal, keep their own', () => {
    const reply = [thought('one'), call('a', 'sa'), call('b', 'sb')];
    expect(restored(reply, thought('mine'), call('a', 'mine'), call('b'))).toEqual([
      thought('mine'),
      call('a', 'mine'),
      call('b', 'sb'),
    ]);
  });

  test('a call that is remembered later in the turn still brings the thoughts to its beginning', () => {
    expect(restored([thought('one'), call('b')], call('unknown'), call('b'))).toEqual([
      thought('one'),
      call('unknown'),
      call('b'),
    ]);
  });

  test('nothing found, nothing missing, nothing of the assistant: the same request', () => {
    const request = requestOf(text, call('a'), call(''));
    expect(restoreSealedTurns(request, () => undefined)).toBe(request);
    expect(restoreSealedTurns(request, () => ({ thinking: [] }))).toBe(request);
    const complete = requestOf(thought('one'), call('a', 'sa'));
    const turn = { thinking: [thought('one')], callSeal: sealOf('sa') };
    expect(restoreSealedTurns(complete, () => turn)).toBe(complete);
    const asked: string[] = [];
    restoreSealedTurns(request, (id) => {
      asked.push(id);
      return undefined;
    });
    expect(asked).toEqual(['a']);
  });
});

describe('what is missing', () => {
  const user = (...parts: readonly Part[]): Message => ({ role: 'user', parts: [text, ...parts] });
  const assistant = (...parts: readonly Part[]): Message => ({ role: 'assistant', parts });
  const result: Part = { type: 'tool-result', callId: 'a', parts: [], failed: false };
  const of = (...messages: readonly Message[]): TextRequest => ({ model: 'm', messages, ...requestDefaults });

  test('are the calls of turns that came without any seal', () => {
    const turns = [assistant(call('a'), call('b', 's'), call('')), assistant(thought('x'), call('c')), user()];
    expect(unsealedCalls(of(user(), ...turns, assistant(plain('y'), call('d'))))).toEqual(['a', 'd']);
  });

  test('is reported for turns since the last message of the user, where nothing is known of a call', () => {
    const old = [user(), assistant(call('old')), { role: 'tool', parts: [result] } as const, assistant(text)];
    const request = of(...old, user(), assistant(call('a')), { role: 'user', parts: [result] }, assistant(call('b')));
    expect(forgottenTurns(request, () => false)).toEqual([5, 7]);
    expect(forgottenTurns(request, (id) => id === 'a')).toEqual([7]);
    expect(forgottenTurns(request, () => true)).toEqual([]);
    expect(forgottenTurns(of(user(), assistant(thought('x'), call('a'))), () => false)).toEqual([]);
    expect(forgottenTurns(of(assistant(call('a'))), () => false)).toEqual([0]);
  });
});
