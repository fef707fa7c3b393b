/** Every recorded reply and stream, written for another format and read by a library of that format that checks what it reads. */

import { describe, expect, test } from 'bun:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type LanguageModel, streamText } from 'ai';
import { Folding } from '../../../src/conversation/events/fold.ts';
import type { StreamEvent, TextReply } from '../../../src/conversation/text-reply.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { eventsOf, readContext, replyContext } from '../../harness/journeys.ts';
import { framesIn, type Recording, recordings } from '../../harness/recorded-replies.ts';
import { sampled } from '../../harness/size.ts';
import { unfold } from '../../harness/unfold.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

type Fetch = (input: RequestInfo | URL) => Promise<Response>;

interface Library {
  readonly name: string;
  readonly format: FormatName;
  /** Refusals are part of the text. */
  readonly saysRefusals: boolean;
  model(fetch: typeof globalThis.fetch): LanguageModel;
}

const place = { apiKey: 'k', baseURL: 'http://127.0.0.1:1/v1' };
const libraries: readonly Library[] = [
  {
    name: 'openai-compatible',
    format: 'openai-chat',
    saysRefusals: false,
    model: (fetch) => createOpenAICompatible({ ...place, name: 'weir', fetch })('m'),
  },
  {
    name: 'openai.chat',
    format: 'openai-chat',
    saysRefusals: false,
    model: (fetch) => createOpenAI({ ...place, fetch }).chat('m'),
  },
  {
    name: 'openai',
    format: 'openai-responses',
    saysRefusals: false,
    model: (fetch) => createOpenAI({ ...place, fetch })('m'),
  },
  {
    name: 'anthropic',
    format: 'anthropic-messages',
    saysRefusals: true,
    model: (fetch) => createAnthropic({ ...place, fetch })('m'),
  },
  {
    name: 'google',
    format: 'gemini-generate',
    saysRefusals: true,
    model: (fetch) => createGoogle({ ...place, fetch })('m'),
  },
];

const answering = (body: string, type: string): typeof globalThis.fetch => {
  const answer: Fetch = async () => new Response(body, { headers: { 'content-type': type } });
  return Object.assign(answer, { preconnect: () => undefined });
};

function wordsOf(reply: TextReply, saysRefusals: boolean): string {
  return (reply.candidates[0]?.parts ?? [])
    .map((part) => (part.type === 'text' || (saysRefusals && part.type === 'refusal') ? part.text : ''))
    .join('');
}

function callsOf(reply: TextReply): string[] {
  return (reply.candidates[0]?.parts ?? []).flatMap((part) => (part.type === 'tool-call' ? [part.name] : []));
}

async function readWhole({ format, model }: Library, reply: TextReply): Promise<[string, string[]]> {
  const { value } = formats[format].codec.writeReply(reply, replyContext({}));
  const fetch = answering(JSON.stringify(value), 'application/json');
  const { text, toolCalls } = await generateText({ model: model(fetch), prompt: 'hi', maxRetries: 0 });
  return [text, toolCalls.map(({ toolName }) => toolName)];
}

async function readStream({ format, model }: Library, events: Iterable<StreamEvent>): Promise<[string, string[]]> {
  const writer = formats[format].codec.streamWriter(replyContext({ stream: true }));
  let body = '';
  for (const event of events) body += writer.write(event);
  const fetch = answering(body, 'text/event-stream');
  const { stream } = streamText({ model: model(fetch), prompt: 'hi', maxRetries: 0, onError: () => undefined });
  let text = '';
  const calls: string[] = [];
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'tool-call') calls.push(part.toolName);
  }
  return [text, calls];
}

function replyOf({ format, payloads }: Recording): TextReply {
  return formats[format].codec.readReply(JSON.parse(payloads[0] ?? ''), readContext(format)).value;
}

const all = recordings();
const pairs = all.flatMap((recording, index) => {
  const takers = libraries
    .filter(({ format }) => format !== recording.format)
    // The library cannot declare freeform tools in this format, so it gets no calls of one.
    .filter(({ format }) => format !== 'openai-chat' || !recording.name.includes('custom-tool'));
  return sampled(takers, index).map((library) => [recording.name, library.name, recording, library] as const);
});

describe('recordings for a library that checks', () => {
  test.each(pairs)('%s for %s', async (_, __, recording, library) => {
    const events = recording.streamed ? eventsOf(recording.format, framesIn(recording)).value : [];
    if (events.some(({ type }) => type === 'failure')) return;
    const folding = new Folding();
    for (const event of events) folding.add(event);
    const reply = recording.streamed ? folding.reply : replyOf(recording);
    const expected = [wordsOf(reply, library.saysRefusals), callsOf(reply)];
    expect(await readWhole(library, reply)).toEqual(expected as [string, string[]]);
    expect(await readStream(library, recording.streamed ? events : unfold(reply))).toEqual(
      expected as [string, string[]],
    );
  });
});
