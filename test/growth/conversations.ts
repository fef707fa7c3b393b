/** Rows of conversations: each kind of turn, many times, alone and in the orders that repairs look for. */

import type { Message, Part } from '../../src/conversation/parts.ts';
import type { TextRequest } from '../../src/conversation/text-request.ts';
import { converse } from '../../src/sandbox/chat/converse.ts';
import { stepsOf, watch } from './count-steps.ts';
import type { Row } from './row.ts';
import { originOf, stagesOfRequest } from './stages.ts';

const seal = { value: 'c2VhbA==', origin: originOf('anthropic-messages') };
const text: Part = { type: 'text', text: 'words' };
const call = (index: number): Part => ({ type: 'tool-call', id: `c${index}`, name: 'look', arguments: '{"a":1}' });
const result = (index: number): Part => ({
  type: 'tool-result',
  callId: `c${index}`,
  parts: [{ type: 'text', text: 'found' }],
  failed: false,
});

/** Each kind of part, by the roles that it occurs in. */
const parts: Readonly<Record<string, (index: number) => Part>> = {
  text: () => text,
  'blank text': () => ({ type: 'text', text: '' }),
  'marked text': () => ({ type: 'text', text: 'words', cacheMark: {} }),
  'cited text': () => ({ type: 'text', text: 'words', citations: [{ url: 'https://a.example', quote: 'w' }] }),
  'opening text': () => ({ type: 'text', text: 'words', opensMessage: true }),
  image: () => ({ type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } }),
  document: () => ({ type: 'media', media: 'document', source: { kind: 'url', url: 'https://a.example/b.pdf' } }),
  thinking: () => ({ type: 'thinking', text: 'so', seal }),
  refusal: () => ({ type: 'refusal', text: 'no' }),
  native: () => ({ type: 'native', format: 'openai-responses', value: { type: 'x', id: 'y' }, words: 'z' }),
  call,
  'call without an id': () => ({ type: 'tool-call', id: '', name: 'look', arguments: '' }),
  'call of one id': () => call(0),
  result,
  'result of one id': () => result(0),
  'result with an image': (index) => ({
    ...(result(index) as Extract<Part, { type: 'tool-result' }>),
    parts: [{ type: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } }],
  }),
};
const roles: readonly Message['role'][] = ['instruction', 'user', 'assistant', 'tool'];

const many = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, at) => make(at));
const turn = (role: Message['role'], ...own: Part[]): Message => ({ role, parts: own });

const orders: Readonly<Record<string, (count: number) => Message[]>> = {
  'calls, then a turn for each result': (count) => [
    turn('assistant', ...many(count, call)),
    ...many(count, (index) => turn('tool', result(index))),
  ],
  'calls, then their results backwards': (count) => [
    turn('assistant', ...many(count, call)),
    turn('tool', ...many(count, (index) => result(count - index))),
  ],
  'a turn for each call, then the results backwards': (count) => [
    ...many(count, (index) => turn('assistant', call(index))),
    ...many(count, (index) => turn('tool', result(count - index))),
  ],
  'the results before their calls': (count) => [
    ...many(count, (index) => turn('tool', result(index))),
    turn('assistant', ...many(count, call)),
  ],
  'calls and results by turns': (count) =>
    many(count, (index) => [turn('assistant', call(index)), turn('tool', result(index))]).flat(),
  'results between the texts of a user': (count) =>
    many(count, (index) => [turn('user', text), turn('tool', result(index))]).flat(),
  'instructions between all turns': (count) =>
    many(count, () => [turn('instruction', text), turn('user', text), turn('assistant', text)]).flat(),
};

export function* conversationRows(): Generator<Row> {
  for (const [name, part] of Object.entries(parts))
    for (const role of roles) {
      const opening = turn('user', text);
      yield rowOf(`${name} in one turn of ${role}`, (count) => [opening, turn(role, ...many(count, part))]);
      yield rowOf(`${name} in turns of ${role}`, (count) => [opening, ...many(count, (at) => turn(role, part(at)))]);
    }
  for (const [name, order] of Object.entries(orders)) yield rowOf(name, order);
}

function rowOf(name: string, messagesOf: (count: number) => Message[]): Row {
  return {
    name: `conversation: ${name}`,
    inputOf: (count) => requestOf(messagesOf(count)),
    run(input, stages) {
      const request = watch(input as TextRequest);
      stagesOfRequest(request, stages);
      const context = { id: 'r', createdAtMs: 0, origin: originOf('openai-chat') };
      stages['sandbox'] = stepsOf(() => {
        try {
          converse(request, context);
        } catch {
          // A refusal of the sandbox.
        }
      });
    },
  };
}

export function requestOf(messages: readonly Message[], more: Partial<TextRequest> = {}): TextRequest {
  return {
    model: 'a-model',
    messages,
    stream: false,
    tools: [{ name: 'look', parameters: { type: 'object', properties: { a: { type: 'integer' } } } }],
    toolChoice: { kind: 'auto' },
    output: { kind: 'text' },
    candidates: 1,
    stop: [],
    ...more,
  };
}
