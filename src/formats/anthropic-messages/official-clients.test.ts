/** What this format writes, read by the libraries that people use: they throw where an order or a field is wrong. */

import { describe, expect, test } from 'bun:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { generateText, streamText } from 'ai';
import { MessageStream as OlderMessageStream } from 'anthropic-sdk-0/lib/MessageStream';
import { Random } from '../../../test/harness/random.ts';
import { randomEvents, randomReply } from '../../../test/harness/random-conversation.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import { codec } from './codec.ts';

const origin = { format: 'openai-chat', provider: 'p', model: 'm' };
const newId = (prefix: string): string => `${prefix}made`;
const context = { origin, nowMs: 1_700_000_000_000, newId, request: {} };
const seeds = Array.from({ length: 40 }, (_, index) => index + 1);
/** Of another format, so its natives are left out; calls of a library's own client must be declared, so no calls there. */
const replyOf = (seed: number): TextReply => randomReply(new Random(seed), origin);

function sse(reply: TextReply, seed: number): string {
  const writer = codec.streamWriter(context);
  let text = '';
  for (const event of randomEvents(reply, new Random(seed))) text += writer.write(event);
  return text;
}

function textOf({ candidates }: TextReply): string {
  const parts = candidates[0]?.parts ?? [];
  return parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('');
}

function callsOf({ candidates }: TextReply): unknown[] {
  const parts = candidates[0]?.parts ?? [];
  return parts.flatMap((part) => (part.type === 'tool-call' ? [JSON.parse(part.arguments.trim() || '{}')] : []));
}

/** The library reads its own kind of stream: one event a line. */
function lines(text: string): ReadableStream {
  const frames = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [`${line.slice(6)}\n`] : []));
  return new ReadableStream({
    start(controller) {
      for (const frame of frames) controller.enqueue(new TextEncoder().encode(frame));
      controller.close();
    },
  });
}

describe('the official library', () => {
  for (const [name, stream] of [
    ['1.x', MessageStream],
    ['0.x', OlderMessageStream],
  ] as const) {
    test(`${name} adds streams up`, async () => {
      for (const seed of seeds) {
        const reply = replyOf(seed);
        const message = await stream.fromReadableStream(lines(sse(reply, seed))).finalMessage();
        const whole = codec.writeReply(reply, context).value;
        const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
        expect([seed, text]).toEqual([seed, textOf(reply)]);
        const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []));
        expect([seed, calls]).toEqual([seed, callsOf(reply)]);
        expect([seed, message.stop_reason as unknown]).toEqual([seed, whole.stop_reason]);
        expect([seed, message.usage.output_tokens]).toEqual([seed, reply.usage.output.total ?? 0]);
      }
    });
  }
});

describe('AI SDK', () => {
  const answering = (body: string, type: string) => {
    const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': type } });
    return createAnthropic({ apiKey: 'k', baseURL: 'http://localhost/v1', fetch: fetch as never })('m');
  };

  test('takes whole replies', async () => {
    for (const seed of seeds) {
      const reply = randomReply(new Random(seed), origin, { without: ['tools'] });
      const body = JSON.stringify(codec.writeReply(reply, context).value);
      const { text, usage } = await generateText({
        model: answering(body, 'application/json'),
        prompt: 'hi',
        maxOutputTokens: 10,
      });
      expect([seed, text]).toEqual([seed, textOf(reply)]);
      expect([seed, usage.outputTokens]).toEqual([seed, reply.usage.output.total ?? 0]);
      expect([seed, usage.inputTokens]).toEqual([seed, reply.usage.input.total ?? 0]);
    }
  });

  test('takes streams', async () => {
    for (const seed of seeds) {
      const reply = randomReply(new Random(seed), origin, { without: ['tools'] });
      const errors: unknown[] = [];
      const { textStream } = streamText({
        model: answering(sse(reply, seed), 'text/event-stream'),
        prompt: 'hi',
        maxOutputTokens: 10,
        onError: ({ error }) => {
          errors.push(error);
        },
      });
      let text = '';
      for await (const piece of textStream) text += piece;
      expect([seed, errors, text]).toEqual([seed, [], textOf(reply)]);
    }
  });
});
