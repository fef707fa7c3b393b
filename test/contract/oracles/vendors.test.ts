/** The oracles themselves: every recording passes, and no recording passes that is changed in one place. */

import { describe, expect, test } from 'bun:test';
import type { z } from 'zod';
import { type RecordedFile, recordedFiles } from '../../harness/recordings.ts';
import { orderFault as anthropicOrder, streamEvent } from '../../oracles/anthropic/events.ts';
import { message } from '../../oracles/anthropic/messages.ts';
import { chatEvent, chatReply, orderFault as cohereOrder } from '../../oracles/cohere/chat.ts';
import { orderFault as geminiOrder, generatedReply, streamChunk } from '../../oracles/gemini/generate.ts';
import { mistralTranscript, verboseTranscript } from '../../oracles/operations/audio.ts';
import { openaiEmbeddings, voyageEmbeddings } from '../../oracles/operations/embeddings.ts';
import { imagesReply } from '../../oracles/operations/images.ts';
import { cohereRerank } from '../../oracles/operations/rerank.ts';
import { type Oracle, type StreamedEvent, schemaFault } from '../../oracles/oracle.ts';
import { mutantsOf } from './mutants.ts';

interface Vendor {
  /** Below the folder of the recordings. */
  readonly folder: string;
  readonly file: RegExp;
  readonly reply: z.ZodType;
  readonly event?: z.ZodType;
  readonly orderFault?: Oracle['orderFault'];
  /** Each event is named by its type. */
  readonly named?: boolean;
  /** Places that the reference leaves open. */
  readonly open: RegExp;
}

const nowhere = /^\b$/;

const vendors: readonly Vendor[] = [
  {
    folder: 'anthropic-messages',
    file: /./,
    reply: message,
    event: streamEvent,
    orderFault: anthropicOrder,
    named: true,
    open: /(^|\.)(input|input_schema)$/,
  },
  {
    folder: 'gemini-generate',
    file: /^(?!.*-live-)/,
    reply: generatedReply,
    event: streamChunk,
    orderFault: geminiOrder,
    open: /\.args$/,
  },
  {
    folder: 'cohere',
    file: /./,
    reply: chatReply,
    event: chatEvent,
    orderFault: cohereOrder,
    named: true,
    open: nowhere,
  },
  { folder: 'embeddings', file: /^openai/, reply: openaiEmbeddings, open: nowhere },
  { folder: 'embeddings', file: /^voyage/, reply: voyageEmbeddings, open: nowhere },
  { folder: 'rerank', file: /^cohere/, reply: cohereRerank, open: nowhere },
  { folder: 'images', file: /(?<!error)\.json$/, reply: imagesReply, open: nowhere },
  { folder: 'audio-transcriptions', file: /^openai/, reply: verboseTranscript, open: nowhere },
  { folder: 'audio-transcriptions', file: /^mistral/, reply: mistralTranscript, open: nowhere },
];

/** Recordings that differ from the reference: the file and the field. */
const deviations: readonly (readonly [file: RegExp, field: RegExp])[] = [
  [/anthropic-json-tool\.1\.json$/, /"stop_sequence"/],
  [/anthropic-web-fetch-tool-20260209/, /"abort_reason"/],
  [/spliced-message-start/, /"signature"/],
];

/** Two streams in one, which the reference does not have. */
const outOfOrder = /(duplicate|spliced)-message-start/;

function eventsIn(text: string, named: boolean): StreamedEvent[] {
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => {
    const data = JSON.parse(line) as { readonly type?: string };
    return { name: named ? data.type : undefined, data };
  });
}

function acceptedMutants(schema: z.ZodType, value: unknown, open: RegExp): string[] {
  return mutantsOf(value, open)
    .filter((mutant) => schemaFault(schema, mutant.value) === undefined)
    .map(({ path, change }) => `${change} at ${path}`);
}

/** Undefined as well where the difference is a known one. */
function faultOf(schema: z.ZodType, value: unknown, { name, isOwn }: RecordedFile): string | undefined {
  const fault = schemaFault(schema, value);
  const field = isOwn ? undefined : deviations.find(([file]) => file.test(name))?.[1];
  return field?.test(fault ?? '') === true ? undefined : fault;
}

function checkWhole({ reply, open }: Vendor, file: RecordedFile): void {
  const value = JSON.parse(file.text()) as unknown;
  expect(faultOf(reply, value, file)).toBeUndefined();
  expect(acceptedMutants(reply, value, open)).toEqual([]);
}

function checkStream({ event, orderFault, named, open }: Vendor, file: RecordedFile): void {
  const { name, text, isOwn } = file;
  if (event === undefined) throw new Error(`no stream is known for ${name}`);
  const events = eventsIn(text(), named === true);
  for (const { data } of events) expect(faultOf(event, data, file)).toBeUndefined();
  const fault = orderFault?.(events, true);
  expect(fault === undefined).toBe(!outOfOrder.test(name));
  if (fault !== undefined) return;
  expect(orderFault?.([...events, ...events.slice(-1)], true)).toBeString();
  expect(orderFault?.(events.slice(0, -1), true)).toBeString();
  expect(orderFault?.(events.slice(0, -1), false)).toBeUndefined();
  // The events of the project's own are few; those of real providers are many and alike.
  if (isOwn) for (const { data } of events) expect(acceptedMutants(event, data, open)).toEqual([]);
}

for (const folder of new Set(vendors.map((vendor) => vendor.folder))) {
  describe(folder, () => {
    const files = recordedFiles(folder);
    for (const vendor of vendors.filter((one) => one.folder === folder)) {
      for (const file of files.filter(({ name }) => vendor.file.test(name))) {
        test(`${file.isOwn ? 'own' : 'recorded'} ${file.name}`, () => {
          if (file.name.endsWith('.json')) checkWhole(vendor, file);
          else checkStream(vendor, file);
        });
      }
    }
  });
}
