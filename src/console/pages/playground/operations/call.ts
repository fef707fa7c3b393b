/** The calls that the tabs make, by the shape of what comes back: JSON whose tokens are counted, a file, or a stream of events. */

import { createServerEventReader, type ServerEvent } from '../formats/server-events.ts';
import type { PlaygroundToken, WireExchange, WireLog, WireRequest } from '../playground-contract.ts';
import { failureText, sendForBlob, sendOnWire } from '../wire/send-on-wire.ts';

export interface CallOptions {
  readonly token: PlaygroundToken;
  readonly wire: WireLog;
  readonly model?: string;
  readonly signal?: AbortSignal;
}

export type Fields = Readonly<Record<string, unknown>>;

export const callForBlob = sendForBlob;

export const jsonRequest = (path: string, value: unknown): WireRequest => ({
  method: 'POST',
  path,
  body: { kind: 'json', value },
});

export async function callForJson(request: WireRequest, options: CallOptions): Promise<Fields> {
  const { response, exchange } = await sendOnWire(request, options);
  return ended(exchange, async () => {
    const text = await response.text();
    exchange.event(shortened(text));
    exchange.output();
    const answer = fieldsOf(JSON.parse(text));
    tellUsage(exchange, answer['usage']);
    return answer;
  });
}

/** Calls back for every event, with what the event said in JSON; `[DONE]` says nothing. */
export async function callForEvents(
  request: WireRequest,
  options: CallOptions,
  onEvent: (fields: Fields, exchange: WireExchange) => void,
): Promise<void> {
  const { response, exchange } = await sendOnWire(request, options);
  await ended(exchange, async () => {
    const events = createServerEventReader();
    const decoder = new TextDecoder();
    for await (const bytes of bytesOf(response)) {
      for (const event of events.push(decoder.decode(bytes, { stream: true }))) takeEvent(event, exchange, onEvent);
    }
  });
}

function takeEvent(
  { data, raw }: ServerEvent,
  exchange: WireExchange,
  onEvent: (fields: Fields, exchange: WireExchange) => void,
): void {
  exchange.event(raw);
  if (data === '[DONE]') return;
  const fields = fieldsOf(JSON.parse(data));
  const error = fieldsOf(fields['error']);
  if (fields['error'] != null) throw new Error(textOf(error['message']) || data);
  tellUsage(exchange, fields['usage']);
  onEvent(fields, exchange);
}

/** Not every browser can be asked for a stream piece by piece in one word. */
async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function ended<Answer>(exchange: WireExchange, read: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await read();
    exchange.end();
    return answer;
  } catch (error) {
    exchange.end(failureText(error));
    throw error;
  }
}

function tellUsage(exchange: WireExchange, given: unknown): void {
  const usage = fieldsOf(given);
  const input = usage['prompt_tokens'] ?? usage['input_tokens'];
  const output = usage['completion_tokens'] ?? usage['output_tokens'];
  exchange.usage({
    ...(typeof input === 'number' && { input }),
    ...(typeof output === 'number' && { output }),
  });
}

/** Pictures and vectors are long; their beginning and their size say as much. */
const runMax = 400;
const runShown = 80;
const numbersMax = 40;
const numbersShown = 8;

/** A reply as the wire panel shows it: as it came, but for what would fill pages with nothing that can be read. */
export function shortened(text: string): string {
  if (text.length < runMax) return text;
  try {
    let isCut = false;
    const short = JSON.stringify(JSON.parse(text), (_, value: unknown) => {
      const cut = shortValue(value);
      isCut ||= cut !== value;
      return cut;
    });
    return isCut ? short : text;
  } catch {
    return text;
  }
}

function shortValue(value: unknown): unknown {
  if (typeof value === 'string' && value.length > runMax && !/\s/.test(value)) {
    return `${value.slice(0, runShown)}… ${value.length} characters`;
  }
  if (Array.isArray(value) && value.length > numbersMax && value.every((one) => typeof one === 'number')) {
    return [...value.slice(0, numbersShown), `… ${value.length} numbers`];
  }
  return value;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
