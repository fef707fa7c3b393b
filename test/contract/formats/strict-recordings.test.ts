/** Every recorded reply and stream, written for clients of every other format: what comes out is taken by libraries that are strict. */

import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../../src/conversation/json-tree.ts';
import type { StreamEvent, TextReply } from '../../../src/conversation/text-reply.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { dataOf } from '../../harness/chat.ts';
import { eventsOf, formatNames, onTheWire, readContext, replyContext } from '../../harness/journeys.ts';
import { addUp } from '../../harness/messages-client.ts';
import { framesIn, type Recording, recordings } from '../../harness/recorded-replies.ts';
import { expectValid } from '../../harness/schema.ts';
import { expectTaken } from '../../harness/strict-clients.ts';
import { unfold } from '../../harness/unfold.ts';

const all = recordings();

interface Judge {
  whole(reply: Tree): void;
  /** All events of a stream whose client did not ask for usage. */
  stream(text: string, events: readonly Tree[]): void;
}

const judges: Readonly<Record<FormatName, Judge>> = {
  'openai-chat': {
    whole(reply) {
      expectValid('CreateChatCompletionResponse', reply);
      expectTaken('providerReply', reply);
    },
    stream(_, events) {
      for (const event of events) {
        expectValid('CreateChatCompletionStreamResponse', event);
        expectTaken('mistralChunk', event);
        expectTaken('openRouterChunk', event);
        expect(event).not.toHaveProperty('usage');
      }
    },
  },
  'openai-completions': {
    whole: (reply) => expectValid('CreateCompletionResponse', reply),
    stream(_, events) {
      for (const event of events) expectValid('CreateCompletionResponse', event);
    },
  },
  'openai-responses': {
    whole(reply) {
      expectValid('Response', reply);
      expectJoined(reply);
    },
    stream(_, events) {
      for (const [index, event] of events.entries()) {
        expectValid('ResponseStreamEvent', event);
        expect(event['sequence_number']).toBe(index);
      }
      expectJoined(events.at(-1)?.['response'] as Tree);
    },
  },
  'anthropic-messages': {
    whole: (reply) => expectTaken('messagesUsage', reply['usage']),
    stream: (text) => expectTaken('messagesUsage', addUp(text)['usage']),
  },
  'gemini-generate': {
    whole: (reply) => expectTaken('generatedReply', reply),
    stream(_, events) {
      for (const event of events) expectTaken('generatedReply', event);
    },
  },
  'cohere-chat': {
    whole: (reply) => expectTaken('cohereReply', reply),
    stream(_, events) {
      for (const event of events) expectTaken('cohereEvent', event);
      expect(events.at(-1)?.['type']).toBe('message-end');
    },
  },
};

/** No message holds several texts. */
function expectJoined(reply: Tree): void {
  for (const item of (reply['output'] ?? []) as Tree[]) {
    if (item['type'] === 'message') expect((item['content'] as unknown[]).length).toBe(1);
  }
}

function written(format: FormatName, events: Iterable<StreamEvent>): string {
  const writer = formats[format].codec.streamWriter(replyContext({ stream: true }));
  let text = '';
  for (const event of events) text += writer.write(event);
  return text;
}

function judgeStream(format: FormatName, events: Iterable<StreamEvent>): void {
  const text = written(format, events);
  const data = dataOf(text).filter((each) => each !== '[DONE]');
  judges[format].stream(
    text,
    data.map((each) => JSON.parse(each) as Tree),
  );
}

function judgeReply(format: FormatName, reply: TextReply): void {
  judges[format].whole(onTheWire(formats[format].codec.writeReply(reply, replyContext({})).value));
  judgeStream(format, unfold(reply));
}

function readWhole({ format, payloads }: Recording): TextReply {
  return formats[format].codec.readReply(JSON.parse(payloads[0] ?? ''), readContext(format)).value;
}

describe('recordings for strict clients', () => {
  test.each(
    all.flatMap((recording) => formatNames.map((format) => [recording.name, format, recording] as const)),
  )('%s for %s', (_, format, recording) => {
    // Within its own format a provider's own items pass as they are, also if the published schema lacks them.
    if (format === recording.format) return;
    // Only callers who declare a freeform tool, in a form that the published schema of chunks lacks, get calls of one.
    if (format === 'openai-chat' && recording.name.includes('custom-tool')) return;
    if (!recording.streamed) return judgeReply(format, readWhole(recording));
    const events = eventsOf(recording.format, framesIn(recording)).value;
    // A stream that failed ends in an error, which has shapes of its own.
    if (!events.some(({ type }) => type === 'failure')) judgeStream(format, events);
  });
});
