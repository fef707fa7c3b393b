/** The calls that the tabs make, by the shape of what comes back: JSON whose tokens are counted, a file, or a stream of events. */

import { createServerEventReader, type ServerEvent } from '../formats/server-events.ts';
import type { PlaygroundToken, WireExchange, WireLog, WireRequest } from '../playground-contract.ts';
import { headOf, type ReplyHead } from '../wire/reply-head.ts';
import { failureText, sendOnWire } from '../wire/send-on-wire.ts';

/** What is known about one call of a tab. */
export interface CallFacts extends ReplyHead {
  readonly model: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export interface CallOptions {
  readonly token: PlaygroundToken;
  readonly wire: WireLog;
  readonly model?: string;
  readonly signal?: AbortSignal;
  /** Called whenever more is known; the same request replaces itself. */
  readonly note?: (facts: CallFacts) => void;
}

export type Fields = Readonly<Record<string, unknown>>;

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
    tell(answer['usage'], response, exchange, options);
    return answer;
  });
}

/** For operations whose reply is a file; the wire panel is told its size, not its bytes. */
export async function callForBlob(request: WireRequest, options: CallOptions): Promise<Blob> {
  const { response, exchange } = await sendOnWire(request, options);
  return ended(exchange, async () => {
    const blob = await response.blob();
    exchange.event(`${blob.size} bytes of ${blob.type}`);
    exchange.output();
    tell(undefined, response, exchange, options);
    return blob;
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
    const onUsage = (usage: unknown) => tell(usage, response, exchange, options);
    onUsage(undefined);
    for await (const bytes of bytesOf(response)) {
      for (const event of events.push(decoder.decode(bytes, { stream: true }))) {
        takeEvent(event, exchange, { onEvent, onUsage });
      }
    }
  });
}

function takeEvent(
  { data, raw }: ServerEvent,
  exchange: WireExchange,
  { onEvent, onUsage }: { onEvent(fields: Fields, exchange: WireExchange): void; onUsage(usage: unknown): void },
): void {
  exchange.event(raw);
  if (data === '[DONE]') return;
  const fields = fieldsOf(JSON.parse(data));
  const error = fieldsOf(fields['error']);
  if (fields['error'] != null) throw new Error(textOf(error['message']) || data);
  if (fields['usage'] != null) onUsage(fields['usage']);
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

/** To the wire panel and to the tab: who served it, and the tokens where the reply counts them. */
function tell(given: unknown, response: Response, exchange: WireExchange, { model = '', note }: CallOptions): void {
  const usage = fieldsOf(given);
  const input = numberOf(usage['prompt_tokens'] ?? usage['input_tokens'] ?? usage['total_tokens']);
  const output = numberOf(usage['completion_tokens'] ?? usage['output_tokens']);
  exchange.usage({ ...(input !== undefined && { input }), ...(output !== undefined && { output }) });
  note?.({
    ...headOf(response),
    model,
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
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
