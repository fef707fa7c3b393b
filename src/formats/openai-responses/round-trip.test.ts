/** Random conversations written in this format and read back say the same, within the losses that were reported. */

import { describe, expect, test } from 'bun:test';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { Random } from '../../../test/harness/random.ts';
import { randomReply, randomRequest } from '../../../test/harness/random-conversation.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import { sized } from '../../../test/harness/size.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Loss, Message, Part } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { codec } from './codec.ts';
import { joinTexts } from './join-texts.ts';

const origin = { format: 'openai-responses', provider: 'p', model: 'm' };
const target = { origin, profile: {}, quirks: {} };
let made = 0;
const newId = (prefix: string): string => `${prefix}made${++made}`;
const context = { origin, nowMs: 1_700_000_000_000, newId, request: {} };

/** A part as far as the format supports it; undefined where it is a loss. */
function supported(part: Part): unknown {
  switch (part.type) {
    case 'text':
      return ['text', part.text];
    case 'refusal':
      return ['refusal', part.text];
    case 'thinking':
      return part.seal === undefined
        ? undefined
        : ['thinking', part.redacted === true ? '' : part.text, part.seal.value];
    case 'tool-call':
      return ['call', part.id, part.name, part.arguments];
    case 'tool-result':
      return ['result', part.callId, part.parts.map(supported).filter((piece) => piece !== undefined)];
    case 'native':
      return part.format === origin.format ? ['native', part.value] : undefined;
    case 'media':
      return part.media === 'image' && part.source.kind !== 'text' ? ['image', part.source, part.detail] : undefined;
  }
}

function turns(messages: readonly Message[]): unknown[] {
  return messages
    .map(({ role, parts }) => [role, parts.map(supported).filter((part) => part !== undefined)])
    .filter(([, parts]) => (parts as unknown[]).length > 0);
}

function whats(losses: readonly Loss[]): string {
  return losses.map(({ what }) => what).join(' | ');
}

function comparable(request: TextRequest): unknown {
  const { tools, toolChoice, output, maxOutputTokens, temperature, topP, verbosity, metadata, user, logprobs } =
    request;
  return {
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    ...{ toolChoice, output, maxOutputTokens, temperature, topP, verbosity, metadata, user, logprobs },
    parallel: request.parallelToolCalls,
    stream: request.stream,
    cacheKey: request.promptCacheKey,
    tier: request.serviceTier,
    extras: request.extras,
    hosted: request.hostedTools?.map(({ kind }) => kind),
  };
}

/** The format writes a failure into the text of the result, where it cannot be distinguished from other text. */
function withoutFailures(request: TextRequest): TextRequest {
  return JSON.parse(JSON.stringify(request).replaceAll('"failed":true', '"failed":false')) as TextRequest;
}

const cases = sized(150, 2_000);

describe('requests', () => {
  test(`${cases} round trips`, () => {
    for (let seed = 1; seed <= cases; seed++) {
      const request = withoutFailures(randomRequest(new Random(seed), origin));
      const written = codec.writeRequest(request, target);
      const wire = JSON.parse(JSON.stringify(written.value)) as Tree;
      const read = codec.readRequest(wire);
      expect([seed, comparable(read.value)]).toEqual([seed, comparable(request)]);
      expect([seed, turns(read.value.messages)]).toEqual([seed, turns(request.messages)]);
      const said = whats(written.losses);
      if (request.stop.length > 0) expect(said).toContain('stop');
      if (request.seed !== undefined) expect(said).toContain('seed');
      if (request.topK !== undefined) expect(said).toContain('top_k');
      if (request.candidates > 1) expect(said).toContain('n');
      if (JSON.stringify(request).includes('"cacheMark"')) expect(said).toContain('cache marks');
    }
  });
});

function replyParts(reply: TextReply): unknown[] {
  return joinTexts(reply.candidates[0]?.parts ?? []).map((part) =>
    part.type === 'thinking' ? ['thinking', part.redacted === true ? '' : part.text] : supported(part),
  );
}

/** Random replies carry fields of no API, which pass within a format. */
function withoutExtras(value: unknown): unknown {
  const text = JSON.stringify(value, (name, inner: unknown) => (name.startsWith('x_') ? undefined : inner));
  return JSON.parse(text);
}

describe('replies', () => {
  test(`${cases} round trips, whole and as streams`, () => {
    const without = ['media', 'candidates'] as const;
    for (let seed = 1; seed <= cases; seed++) {
      const reply = randomReply(new Random(seed), origin, { without });
      const written = codec.writeReply(reply, context).value;
      const whole = codec.readReply(JSON.parse(JSON.stringify(written)), context).value;
      expect([seed, replyParts(whole)]).toEqual([seed, replyParts(reply)]);
      const writer = codec.streamWriter(context);
      const reader = codec.streamReader(context);
      const events = [...unfold(reply)].flatMap((event) =>
        dataOf(writer.write(event)).flatMap((data) => [...reader.read(data, undefined)]),
      );
      expect([seed, checkEvents(events)]).toEqual([seed, []]);
      const streamed = fold(events);
      expect([seed, streamed.candidates]).toEqual([seed, whole.candidates]);
      expect([seed, streamed.usage]).toEqual([seed, whole.usage]);
    }
  });

  test('the official library reads them, and they validate', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const reply = randomReply(new Random(seed), origin, { without: ['native', 'candidates'] });
      expectValid('Response', withoutExtras(codec.writeReply(reply, context).value));
      const writer = codec.streamWriter(context);
      const frames = [...unfold(reply)].flatMap((event) => dataOf(writer.write(event)));
      for (const frame of frames) expectValid('ResponseStreamEvent', withoutExtras(JSON.parse(frame)));
      const body = new ReadableStream({
        start(controller) {
          for (const frame of frames) controller.enqueue(new TextEncoder().encode(`${frame}\n`));
          controller.close();
        },
      });
      const final = await ResponseStream.fromReadableStream(body).finalResponse();
      expect(final.output_text).toBe(
        (reply.candidates[0]?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join(''),
      );
    }
  });
});

function dataOf(text: string): string[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => frame.slice(frame.indexOf('data: ') + 'data: '.length));
}
