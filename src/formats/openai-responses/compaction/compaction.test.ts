/** Conversations that become a summary, and summaries that become a turn again. */

import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../../conversation/json-tree.ts';
import type { TextReply } from '../../../conversation/text-reply.ts';
import type { ReplyContext } from '../../codec.ts';
import { openaiCompaction, openaiResponses } from '../format.ts';

const context = (request: Tree): ReplyContext => {
  let made = 0;
  return { request, nowMs: 1_000, newId: (prefix) => `${prefix}${++made}` };
};
const replyOf = (text: string, reason: 'stop' | 'length' = 'stop'): TextReply => ({
  id: 'x',
  model: 'm',
  createdAtMs: 5_000,
  candidates: [
    {
      parts: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text },
      ],
      finish: { reason },
    },
  ],
  usage: { input: { total: 10 }, output: { total: 4 } },
});
const input = [
  { role: 'user', content: 'first' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
  { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c', output: 'ok' },
  { role: 'user', content: [{ type: 'input_text', text: 'second' }] },
];
const tools = [{ type: 'function', name: 'f', parameters: {} }, { type: 'web_search' }];
const lastText = (tree: Tree, format = openaiResponses): unknown =>
  format.codec.readRequest(tree).value.messages.at(-1)?.parts[0];
const asked = { type: 'text', text: expect.stringContaining('Write a summary of this conversation') };

describe('the endpoint', () => {
  test('asks for a summary, with the tools declared and none to be called', () => {
    const { value, losses } = openaiCompaction.codec.readRequest({ model: 'm', input, tools, stream: true });
    expect(losses).toEqual([]);
    expect(value).toMatchObject({ stream: false, toolChoice: { kind: 'none' }, tools: [{ name: 'f' }] });
    expect(value.hostedTools).toBeUndefined();
    expect(value.messages.at(-1)).toMatchObject({ role: 'user', parts: [asked] });
    expect(value.messages.slice(0, -1)).toEqual([
      ...openaiResponses.codec.readRequest({ model: 'm', input }).value.messages,
    ]);
  });

  test('answers with the user’s messages and one item', () => {
    const { value, losses } = openaiCompaction.codec.writeReply(
      replyOf('All is done.'),
      context({ model: 'm', input }),
    );
    expect(losses).toEqual([]);
    expect(value).toMatchObject({
      id: 'resp_x',
      object: 'response.compaction',
      created_at: 5,
      output: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'first' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'second' }] },
        { type: 'compaction', id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) },
      ],
      usage: { input_tokens: 10, output_tokens: 4, total_tokens: 14 },
    });
    expect(JSON.stringify(value)).not.toContain('All is done.');
  });

  test('what it answered is read back as a turn', () => {
    const { output } = openaiCompaction.codec.writeReply(replyOf('All is done.'), context({ input: 'hi' })).value;
    const { messages } = openaiResponses.codec.readRequest({ model: 'm', input: output }).value;
    expect(messages).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
      { role: 'user', parts: [{ type: 'text', text: expect.stringMatching(/Summary[\s\S]*All is done\.$/) }] },
    ]);
  });

  test('a cut summary is reported, and none is no reply', () => {
    const { losses } = openaiCompaction.codec.writeReply(replyOf('All', 'length'), context({ input }));
    expect(losses.map(({ what }) => what)).toEqual(['compaction']);
    expect(() => openaiCompaction.codec.writeReply(replyOf(' \n'), context({ input }))).toThrow(SyntaxError);
  });

  test.each([
    ['https://a/v1/responses', 'https://a/v1/responses/compact'],
    ['https://a/openai/responses?api-version=1', 'https://a/openai/responses/compact?api-version=1'],
  ])('%s has it at %s', (address, expected) => {
    expect(openaiCompaction.furtherAddress?.(address)).toBe(expected);
  });

  test('a provider’s own item stays opaque', () => {
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAB' };
    expect(openaiResponses.codec.readRequest({ model: 'm', input: [item] }).value.messages).toEqual([
      { role: 'assistant', parts: [{ type: 'native', format: 'openai-responses', value: item }] },
    ]);
  });
});

describe('a trigger', () => {
  const tree = { model: 'm', input: [...input, { type: 'compaction_trigger' }] };

  test('asks for a summary; only at the end', () => {
    expect(lastText(tree)).toEqual(asked);
    expect(lastText({ model: 'm', input: [{ type: 'compaction_trigger' }, ...input] })).toEqual({
      type: 'text',
      text: 'second',
    });
  });

  test('is answered by the item, whole', () => {
    const { value } = openaiResponses.codec.writeReply(replyOf('Short.'), context(tree));
    expect(value).toMatchObject({ object: 'response', status: 'completed', output: [{ type: 'compaction' }] });
    expect((value['output'] as unknown[]).length).toBe(1);
  });

  test('is answered by the item, as a stream', () => {
    const writer = openaiResponses.codec.streamWriter(context(tree));
    const written = [
      writer.write({ type: 'reply-start', id: 'x', model: 'm', createdAtMs: 0 }),
      writer.write({ type: 'part-start', candidate: 0, part: 0, opening: { type: 'text' } }),
      writer.write({ type: 'text-delta', candidate: 0, part: 0, text: 'Sho' }),
      writer.write({ type: 'text-delta', candidate: 0, part: 0, text: 'rt.' }),
      writer.write({ type: 'part-end', candidate: 0, part: 0 }),
      writer.write({ type: 'candidate-end', candidate: 0, finish: { reason: 'stop' } }),
      writer.write({ type: 'reply-end' }),
    ].join('');
    expect([...written.matchAll(/^event: (.+)$/gm)].map(([, name]) => name)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
    const data = [...written.matchAll(/^data: (.+)$/gm)].map(([, text = '']) => JSON.parse(text) as Tree);
    const item = data[3]?.['item'] as Tree;
    expect(lastText({ model: 'm', input: [item] })).toMatchObject({ text: expect.stringContaining('Short.') });
    expect(data[4]).toMatchObject({ response: { output: [item] } });
  });

  test('a stream without a summary fails', () => {
    const writer = openaiResponses.codec.streamWriter(context(tree));
    writer.write({ type: 'reply-start', id: 'x', model: 'm', createdAtMs: 0 });
    const end = { type: 'candidate-end', candidate: 0, finish: { reason: 'stop' } } as const;
    expect(writer.write(end)).toContain('event: response.failed');
    expect(writer.write({ type: 'reply-end' })).toBe('');
  });
});
