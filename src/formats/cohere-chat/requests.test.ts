/** Requests of Cohere's chat format: what is read of them, and how neutral ones are written. */

import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../conversation/json-tree.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import type { Message } from '../../conversation/parts.ts';
import { requestDefaults, type TextRequest } from '../../conversation/text-request.ts';
import { check } from './checks.ts';
import { readRequest } from './read-request.ts';
import { writeRequest } from './write-request.ts';

const user = (content: unknown) => ({ role: 'user', content });
const read = (fields: Tree) => {
  const { value, losses } = readRequest({ model: 'm', messages: [user('Hello')], ...fields });
  return { value, losses: losses.map(({ what }) => what) };
};

const origin = { format: 'cohere-chat', provider: 'p', model: 'm' };
const write = (fields: Partial<TextRequest>, profile: ModelProfile = {}) => {
  const hello: Message = { role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
  const request: TextRequest = { ...requestDefaults, model: 'm', messages: [hello], ...fields };
  const { value, losses } = writeRequest(request, { origin, profile, quirks: {} });
  return { value, losses: losses.map(({ what }) => what) };
};

describe('reading', () => {
  test('documents come before the last question, each under its id, or else its title', () => {
    const { value, losses } = read({
      messages: [user('Hello'), { role: 'assistant', content: 'Hi' }, user('Why?')],
      documents: [
        'bare',
        { id: 'd1', data: { text: 'named' } },
        { data: { title: 'Titled', text: 'titled' } },
        { id: 'd2', data: { text: 'more', author: 'Anna' } },
        7,
      ],
    });
    const [first, , last] = value.messages;
    expect(first?.parts).toEqual([{ type: 'text', text: 'Hello' }]);
    const found = last?.parts.map((part) =>
      part.type === 'media' && part.source.kind === 'text' ? [part.filename, part.source.text, part.citable] : part,
    );
    expect(found).toEqual([
      [undefined, 'bare', true],
      ['d1', 'named', true],
      ['Titled', 'titled', true],
      ['d2', '{"text":"more","author":"Anna"}', true],
      { type: 'text', text: 'Why?' },
    ]);
    expect(losses).toEqual(['documents[4]']);
  });

  test('the documents of a tool’s result are its text', () => {
    const documents = [
      { type: 'document', document: { data: { text: '3 m' } } },
      { type: 'text', text: 'or so' },
    ];
    const { value, losses } = read({ messages: [{ role: 'tool', tool_call_id: 'c1', content: documents }] });
    expect(value.messages[0]?.parts).toEqual([
      {
        type: 'tool-result',
        callId: 'c1',
        parts: [
          { type: 'text', text: '3 m' },
          { type: 'text', text: 'or so' },
        ],
        failed: false,
      },
    ]);
    expect(losses).toEqual([]);
  });

  test.each([
    [
      { k: 5, p: 0.5 },
      { topK: 5, topP: 0.5 },
    ],
    [{ tool_choice: 'REQUIRED' }, { toolChoice: { kind: 'required' } }],
    [{ tool_choice: 'NONE' }, { toolChoice: { kind: 'none' } }],
    [{ thinking: { type: 'disabled' } }, { thinking: { mode: 'off' } }],
    [{ thinking: { type: 'enabled', token_budget: 9 } }, { thinking: { mode: 'on', budgetTokens: 9 } }],
    [{ response_format: { type: 'json_object' } }, { output: { kind: 'json' } }],
    [
      { response_format: { type: 'json_object', json_schema: { type: 'object' } } },
      { output: { kind: 'json-schema', schema: { type: 'object' } } },
    ],
  ] as const)('%j', (fields, expected) => {
    const { value, losses } = read(fields);
    expect(value).toMatchObject(expected as object);
    expect(losses).toEqual([]);
  });

  test('0 is no limit', () => {
    expect(read({ k: 0 }).value).not.toHaveProperty('topK');
  });

  test('what only the format has is kept for it', () => {
    const { value } = read({ safety_mode: 'STRICT' });
    expect(value.extras).toEqual({ format: 'cohere-chat', fields: { safety_mode: 'STRICT' } });
  });
});

describe('writing', () => {
  const tools = ['level', 'gate'].map((name) => ({ name, parameters: { type: 'object' } }));

  test('one demanded tool is declared alone', () => {
    const { value, losses } = write({ tools, toolChoice: { kind: 'tool', name: 'gate' } });
    expect([value['tool_choice'], (value['tools'] as unknown[]).length, losses]).toEqual(['REQUIRED', 1, []]);
  });

  test('only documents that are to be cited are beside the conversation', () => {
    const document = (text: string, citable: boolean) =>
      ({ type: 'media', media: 'document', source: { kind: 'text', text }, filename: text, citable }) as const;
    const { value, losses } = write({
      messages: [{ role: 'user', parts: [document('a', true), document('b', false)] }],
    });
    expect(value['documents']).toEqual([{ id: 'a', data: { text: 'a' } }]);
    expect(value['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'b' }] }]);
    expect(losses).toEqual(['messages[0] document title']);
  });

  test('thinking of earlier turns goes back to models that think', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'Hm.' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ];
    const thoughts = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ];
    expect(write({ messages }).value['messages']).toEqual([{ role: 'assistant', content: thoughts }]);
    const { value, losses } = write({ messages }, { thinking: { kind: 'never' } });
    expect(value['messages']).toEqual([{ role: 'assistant', content: thoughts.slice(1) }]);
    expect(losses).toEqual(['thinking of earlier turns']);
  });

  test('text beside calls is their plan, and a failed result says so', () => {
    const { value } = write({
      messages: [
        {
          role: 'assistant',
          parts: [
            { type: 'text', text: 'I look.' },
            { type: 'tool-call', id: 'c1', name: 'level', arguments: '{}' },
          ],
        },
        {
          role: 'tool',
          parts: [{ type: 'tool-result', callId: 'c1', parts: [{ type: 'text', text: 'stuck' }], failed: true }],
        },
      ],
    });
    const call = { id: 'c1', type: 'function', function: { name: 'level', arguments: '{}' } };
    expect(value['messages']).toEqual([
      { role: 'assistant', tool_plan: 'I look.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'Error: stuck' },
    ]);
  });

  test('what has no field is reported', () => {
    const { losses } = write({ candidates: 2, user: 'u', logprobs: { top: 3 }, stop: ['1', '2', '3', '4', '5', '6'] });
    expect(losses.toSorted()).toEqual(['n', 'stop', 'top_logprobs', 'user']);
  });
});

describe('checking', () => {
  const body = { model: 'm', messages: [user('Hello')] };

  test('the budget of thinking is reserved for', () => {
    expect(check({ ...body, thinking: { type: 'enabled', token_budget: 900 } }, 50).thinkingTokensMax).toBe(900);
  });

  test.each([
    ['documents', { documents: 'x' }],
    ['p', { p: '1' }],
    ['k', { k: '1' }],
    ['thinking.token_budget', { thinking: { type: 'enabled', token_budget: -1 } }],
    ['messages', { messages: 'x' }],
  ])('%s', (param, fields) => {
    expect(() => check({ ...body, ...fields }, 50)).toThrow(`\`${param}\``);
  });
});
