/** Proves that a kept request of every format becomes the same conversation. */

import { describe, expect, test } from 'bun:test';
import { replayFormat, replayOf } from './replay.ts';

const bodies: Readonly<Record<string, object>> = {
  chat: {
    temperature: 0.5,
    max_tokens: 10,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'First answer' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Two' },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
    ],
  },
  messages: {
    system: [{ type: 'text', text: 'Be brief.' }],
    temperature: 0.5,
    max_tokens: 10,
    messages: [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: [{ type: 'text', text: 'First answer' }] },
      { role: 'user', content: 'Two' },
    ],
  },
  responses: {
    instructions: 'Be brief.',
    temperature: 0.5,
    max_output_tokens: 10,
    input: [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'First answer' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'Two' }] },
    ],
  },
  'generate-content': {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: { temperature: 0.5, maxOutputTokens: 10 },
    contents: [
      { role: 'user', parts: [{ text: 'One' }] },
      { role: 'model', parts: [{ text: 'First answer' }] },
      { role: 'user', parts: [{ text: 'Two' }, { inlineData: {} }] },
    ],
  },
};

let ids = 0;
const makers = { nowMs: 5, newId: () => `id-${++ids}` };

describe('a kept request', () => {
  for (const [endpoint, body] of Object.entries(bodies)) {
    test(`of ${endpoint} is the conversation that it was`, () => {
      expect(replayFormat(endpoint)).toBeDefined();
      const replay = replayOf(JSON.stringify(body), 'sandbox-chat', makers);
      expect(replay?.settings.system).toBe('Be brief.');
      expect(replay?.settings.parameters).toEqual({ temperature: '0.5', maxTokens: '10' });
      expect(replay?.rounds.map(({ text, answers }) => [text, answers[0]?.steps[0]?.text])).toEqual([
        ['One', 'First answer'],
        ['Two', undefined],
      ]);
      expect([replay?.title, replay?.leafId, replay?.rounds[1]?.parentId]).toEqual([
        'One',
        replay?.rounds[1]?.id,
        replay?.rounds[0]?.id,
      ]);
    });
  }

  test('of a single text is one question', () => {
    expect(replayOf('{"input":"Hello"}', 'm', makers)?.rounds.map(({ text }) => text)).toEqual(['Hello']);
  });

  for (const text of ['', '{"messages":[{"role":"us', '{}', '[]', '{"input":5}']) {
    test(`“${text}” cannot be asked again`, () => expect(replayOf(text, 'm', makers)).toBeUndefined());
  }

  test('of another kind is no conversation', () => expect(replayFormat('embeddings')).toBeUndefined());
});
