/** One reply from sending to its end: what streams in becomes drafts for those who watch, and a finished step with its facts. */

import { AskError } from '../../../api/ask.ts';
import type { Ask, Draft, FormatAdapter, ReplyReader } from '../formats/format-adapter.ts';
import { createServerEventReader } from '../formats/server-events.ts';
import type { PlaygroundToken, WireExchange, WireLog } from '../playground-contract.ts';
import { headOf, type ReplyHead } from '../wire/reply-head.ts';
import { sendOnWire } from '../wire/send-on-wire.ts';
import type { Failure, Step, StepFacts } from './conversation.ts';

interface ReplyRun {
  readonly adapter: FormatAdapter;
  readonly ask: Ask;
  readonly token: PlaygroundToken;
  readonly wire: WireLog;
  readonly signal: AbortSignal;
  nowMs(): number;
  onDraft(draft: Draft): void;
}

interface Times {
  readonly sentAtMs: number;
  firstMs?: number;
  lastMs?: number;
}

export async function runReply(run: ReplyRun): Promise<Step> {
  const times: Times = { sentAtMs: run.nowMs() };
  const reader = run.adapter.reader();
  let head: ReplyHead | undefined;
  let failure: Failure | undefined;
  let exchange: WireExchange | undefined;
  try {
    const request = run.adapter.request(run.ask);
    const sent = await sendOnWire(request, { ...run, model: run.ask.model });
    exchange = sent.exchange;
    head = headOf(sent.response);
    await readStream(sent.response, exchange, reader, times, run);
    failure = failureIn(reader.draft(), head.requestId);
  } catch (error) {
    if (!run.signal.aborted) failure = failureFrom(error, head?.requestId ?? '');
  }
  const draft = reader.draft();
  const facts = factsOf(run, draft, times, head);
  exchange?.end(run.signal.aborted ? 'stopped' : failure?.message);
  return {
    thinking: draft.thinking,
    text: draft.text,
    calls: draft.calls,
    facts,
    ...(draft.native !== undefined && { native: { format: run.adapter.name, content: draft.native } }),
    ...(draft.finish !== undefined && { finish: draft.finish }),
    ...(run.signal.aborted && { isStopped: true }),
    ...(failure !== undefined && { failure }),
  };
}

async function readStream(
  response: Response,
  exchange: WireExchange,
  reader: ReplyReader,
  times: Times,
  { nowMs, onDraft }: ReplyRun,
): Promise<void> {
  const events = createServerEventReader();
  const decoder = new TextDecoder();
  const body = response.body?.getReader();
  let spoken = 0;
  for (;;) {
    const chunk = await body?.read();
    if (chunk === undefined || chunk.done) break;
    for (const event of events.push(decoder.decode(chunk.value, { stream: true }))) {
      exchange.event(event.raw);
      reader.take(event);
    }
    const draft = reader.draft();
    const length = draft.text.length + draft.thinking.length + draft.calls.length;
    if (length > spoken) {
      spoken = length;
      times.lastMs = nowMs();
      times.firstMs ??= times.lastMs;
      exchange.output();
    }
    onDraft(draft);
  }
  const { inputTokens, outputTokens } = reader.draft();
  exchange.usage({
    ...(inputTokens !== undefined && { input: inputTokens }),
    ...(outputTokens !== undefined && { output: outputTokens }),
  });
}

/** A stream that ends without its format's end was cut somewhere on the way, and looks like success unless someone says so. */
function failureIn(draft: Draft, requestId: string): Failure | undefined {
  if (draft.failure !== undefined) return { ...draft.failure, requestId, status: 0 };
  return draft.isEnded ? undefined : { message: '', code: 'cut', requestId, status: 0 };
}

function failureFrom(error: unknown, requestId: string): Failure {
  if (error instanceof AskError) {
    return { message: error.message, code: error.code, requestId: error.requestId || requestId, status: error.status };
  }
  return { message: error instanceof Error ? error.message : String(error), code: 'cut', requestId, status: 0 };
}

function factsOf(
  { adapter, nowMs }: ReplyRun,
  { inputTokens, outputTokens }: Draft,
  { sentAtMs, firstMs, lastMs }: Times,
  head: ReplyHead | undefined,
): StepFacts {
  return {
    format: adapter.name,
    provider: head?.provider ?? '',
    requestId: head?.requestId ?? '',
    totalMs: nowMs() - sentAtMs,
    ...(firstMs !== undefined &&
      lastMs !== undefined && { firstTokenMs: firstMs - sentAtMs, writingMs: lastMs - firstMs }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(head?.costNano !== undefined && { costNano: head.costNano }),
  };
}
