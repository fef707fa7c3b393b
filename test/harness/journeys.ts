/** Sends requests, replies and streams through a format and back, as a client or a provider of it would get and return them. */

import type { Tree } from '../../src/conversation/json-tree.ts';
import type { ModelProfile } from '../../src/conversation/model-profile.ts';
import type { Loss, Message, Origin, Part } from '../../src/conversation/parts.ts';
import { repair } from '../../src/conversation/repair/repair.ts';
import { readSeal, writeSeal } from '../../src/conversation/seals/seal.ts';
import type { StreamEvent, TextReply } from '../../src/conversation/text-reply.ts';
import type { TextRequest } from '../../src/conversation/text-request.ts';
import { formats } from '../../src/formats/all.ts';
import type { Format, FormatName } from '../../src/formats/format.ts';
import { FrameReader } from '../../src/upstream/frame-reader.ts';

export const formatNames = Object.keys(formats) as FormatName[];

export interface Arrival<Value> {
  readonly value: Value;
  readonly losses: readonly Loss[];
}

const nowMs = 1_700_000_000_000;
let idsMade = 0;
const newId = (prefix: string): string => `${prefix}made${++idsMade}`;

export function originOf(format: FormatName): Origin {
  return { format, provider: 'provider-p', model: 'model-m' };
}

export const readContext = (format: FormatName) => ({ origin: originOf(format), nowMs, newId });

/** A body of a client that asks for the usage of the stream, in the formats that report it on request. */
const asking: Tree = { stream: true, stream_options: { include_usage: true } };
export const replyContext = (request: Tree = asking) => ({ request, nowMs, newId });

/** As the wire carries it: what JSON cannot hold is gone. */
export function onTheWire<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** What a provider of the format understands of the request: written for it and read as it would read it. */
export function asProviderReads(name: FormatName, request: TextRequest): Arrival<TextRequest> {
  const format = formats[name];
  const origin = originOf(name);
  const repaired = repair(request, format.codec.rules, origin);
  const written = writtenAndRead(format, repaired.value);
  return { value: written.value, losses: [...repaired.losses, ...written.losses] };
}

/**
 * What the gateway reads when a client of the format sends this, as far as the format supports it: seals are the
 * wrapped ones that the client was given, and come from the provider that gets the next request.
 */
export function asClientSays(name: FormatName, request: TextRequest, provider: FormatName): Arrival<TextRequest> {
  const sayable = repair(request, formats[name].codec.rules, originOf(provider));
  const messages = sayable.value.messages.map(
    (message): Message => ({ ...message, parts: message.parts.map(wrapped) }),
  );
  const said = writtenAndRead(formats[name], { ...request, messages });
  return { value: said.value, losses: [...sayable.losses, ...said.losses] };
}

export function repaired(name: FormatName, request: TextRequest): Arrival<TextRequest> {
  return repair(request, formats[name].codec.rules, originOf(name));
}

function wrapped(part: Part): Part {
  if (!('seal' in part) || part.seal === undefined) return part;
  return { ...part, seal: { ...part.seal, value: writeSeal(part.seal) } };
}

/** A model that accepts everything that its format supports, and that writes up to this limit. */
export const everythingTaken: ModelProfile = {
  outputTokensMax: 131_313,
  laterInstructions: 'taken',
  developerRole: 'taken',
  textLists: 'taken',
  allowedTools: 'taken',
};

export function writtenAndRead(format: Format, request: TextRequest): Arrival<TextRequest> {
  const origin = originOf(format.name);
  const written = format.codec.writeRequest(
    { ...request, model: origin.model },
    { origin, profile: everythingTaken, quirks: {} },
  );
  const named = { model: origin.model, stream: request.stream };
  const read = format.codec.readRequest(onTheWire(written.value), named);
  return { value: read.value, losses: [...written.losses, ...read.losses] };
}

export function replyThrough(name: FormatName, reply: TextReply): Arrival<TextReply> {
  const { codec } = formats[name];
  const written = codec.writeReply(reply, replyContext());
  const read = codec.readReply(onTheWire(written.value), readContext(name));
  return { value: unwrapped(read.value), losses: [...written.losses, ...read.losses] };
}

export interface StreamArrival extends Arrival<readonly StreamEvent[]> {
  readonly text: string;
}

export function streamThrough(name: FormatName, events: Iterable<StreamEvent>): StreamArrival {
  const writer = formats[name].codec.streamWriter(replyContext());
  let text = '';
  for (const event of events) text += writer.write(event);
  const read = eventsOf(name, framesOf(text));
  return { value: read.value, losses: [...writer.losses, ...read.losses], text };
}

export interface Frame {
  readonly data: string;
  readonly event: string | undefined;
}

/** The bytes in pieces of these lengths; what is left over comes last. */
export function framesOf(text: string | Uint8Array, cuts: readonly number[] = []): Frame[] {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const reader = new FrameReader(64 * 1024 * 1024);
  const frames: Frame[] = [];
  const emit = ({ data, event }: { data: string | undefined; event: string | undefined }): void => {
    if (data !== undefined) frames.push({ data, event });
  };
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    reader.push(bytes.slice(from, cut), emit);
    from = cut;
  }
  reader.end(emit);
  return frames;
}

export function eventsOf(name: FormatName, frames: readonly Frame[]): Arrival<readonly StreamEvent[]> {
  const reader = formats[name].codec.streamReader(readContext(name));
  const events: StreamEvent[] = [];
  for (const { data, event } of frames) events.push(...reader.read(data, event));
  events.push(...reader.end());
  return { value: events.map(unwrappedEvent), losses: reader.losses };
}

/** A client gives seals back as it got them; here they are opened as the gateway opens them then. */
function unwrapped(reply: TextReply): TextReply {
  const candidates = reply.candidates.map((candidate) => ({ ...candidate, parts: candidate.parts.map(opened) }));
  return { ...reply, candidates };
}

function opened(part: Part): Part {
  if (!('seal' in part) || part.seal === undefined) return part;
  return { ...part, seal: openedSeal(part.seal) };
}

function unwrappedEvent(event: StreamEvent): StreamEvent {
  return event.type === 'seal' ? { ...event, seal: openedSeal(event.seal) } : event;
}

function openedSeal(seal: { readonly value: string; readonly origin: Origin }) {
  return readSeal(seal.value, seal.origin.format);
}
