import { expect, test } from 'bun:test';
import { endUserOf } from './anthropic-messages/end-user.ts';
import { anthropicMessages } from './anthropic-messages/format.ts';
import { cohereChat } from './cohere-chat/format.ts';
import { namedUser } from './fit-user.ts';
import { geminiGenerate } from './gemini-generate/format.ts';
import { openaiChat } from './openai-chat/format.ts';
import { openaiCompletions } from './openai-completions/format.ts';
import { openaiResponses } from './openai-responses/format.ts';

test('the formats that have an end user read it, the others name none', () => {
  for (const format of [openaiChat, openaiResponses, openaiCompletions]) {
    expect(format.endUserOf?.({ user: 'ann' })).toBe('ann');
  }
  expect(anthropicMessages.endUserOf?.({ metadata: { user_id: 'ann' } })).toBe('ann');
  expect(anthropicMessages.endUserOf?.({ user: 'ann' })).toBeUndefined();
  expect([geminiGenerate.endUserOf, cohereChat.endUserOf]).toEqual([undefined, undefined]);
});

test.each([
  [{ user: 'ann', safety_identifier: 'hash' }, 'ann'],
  [{ user: '', safety_identifier: 'hash' }, 'hash'],
  [{ user: null, safety_identifier: 'hash' }, 'hash'],
  [{ user: 7 }, undefined],
  [{}, undefined],
])('%p names %p', (tree, user) => {
  expect(namedUser(tree)).toBe(user as string);
});

const device = 'd1'.repeat(32);
const session = '2c4e1cf0-7a67-4d2e-9a4b-1d16d3f44752';

test.each([
  ['a plain id', 'user-7', 'user-7'],
  ['JSON with an account', JSON.stringify({ device_id: device, account_uuid: 'acc-1', session_id: session }), 'acc-1'],
  ['JSON without one', JSON.stringify({ device_id: device, account_uuid: '', session_id: session }), device],
  ['JSON of another kind', '{"name":"x"}', '{"name":"x"}'],
  ['words with an account', `user_${device}_account_acc-1_session_${session}`, 'acc-1'],
  ['words without one', `user_${device}_account__session_${session}`, device],
  ['other words', `mine_session_${session}`, `mine_session_${session}`],
])('a Messages id that is %s', (_, given, user) => {
  expect(endUserOf({ metadata: { user_id: given } })).toBe(user);
});

test('metadata without a user', () => {
  for (const metadata of [undefined, null, 'x', {}, { user_id: 7 }]) expect(endUserOf({ metadata })).toBeUndefined();
});
