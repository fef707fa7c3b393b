/** The greedy provider's replies in every format: as many words as the request ordered, then finish and usage. */

import { messageItem, responseEvents, responseReply, responseUsage } from '../harness/response-replies.ts';
import type { Conduct, Spoiling, Work } from './greedy-provider.ts';

/** One token for the tokenizers in use. */
const word = ' the';

interface Reply {
  readonly words: readonly unknown[];
  readonly end: readonly unknown[];
  /** In formats whose events have names. */
  readonly named: boolean;
  readonly whole: unknown;
}

type Writer = (work: Work) => Reply;

/**
 * Usage is reported once, at the end, as each format does; the messages format also has its placeholder at the start.
 */
const writers: readonly (readonly [RegExp, Writer])[] = [
  [/\/chat\/completions$/, chat],
  [/\/completions$/, completions],
  [/\/messages$/, messages],
  [/\/responses$/, responses],
  [/:(stream)?[gG]enerateContent$/, generate],
];

export function writeReply(work: Work, conduct: Conduct, released: Promise<void>): Response {
  const writer = writers.find(([path]) => path.test(work.path))?.[1];
  if (writer === undefined) return writeOperation(work);
  const reply = writer(work);
  if (!work.stream) return Response.json(reply.whole);
  // The runtime takes a generator for a body; its types do not have it.
  const events = eventsOf(reply, conduct, released) as unknown as ReadableStream;
  return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
}

async function* eventsOf(reply: Reply, conduct: Conduct, released: Promise<void>) {
  for (const event of reply.words) yield frame(event, reply.named);
  if (conduct.cut === true) return;
  if (conduct.holdEnd === true) {
    await Bun.sleep(0);
    await released;
  }
  for (const event of reply.end) yield frame(event, reply.named);
}

function frame(event: unknown, named: boolean): Uint8Array {
  const name = named ? `event: ${(event as { type: string }).type}\n` : '';
  const data = typeof event === 'string' ? event : JSON.stringify(event);
  return Buffer.from(`${name}data: ${data}\n\n`);
}

function chat({ inputTokens, outputTokens }: Work): Reply {
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  const head = { id: crypto.randomUUID(), created: 1, model: 'm', system_fingerprint: '' };
  const chunk = (choices: unknown, more = {}) => ({ ...head, object: 'chat.completion.chunk', choices, ...more });
  const text = word.repeat(outputTokens);
  const message = { role: 'assistant', content: text, refusal: null };
  return {
    words: [chunk([{ index: 0, delta: message, finish_reason: null }])],
    end: [chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]), chunk([], { usage }), '[DONE]'],
    named: false,
    whole: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage },
  };
}

function completions(work: Work): Reply {
  const { inputTokens, outputTokens } = work;
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  const head = { id: crypto.randomUUID(), object: 'text_completion', created: 1, model: 'm' };
  const chunk = (text: string, finish: string | null) => ({
    ...head,
    choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
  });
  const text = word.repeat(outputTokens);
  return {
    words: [chunk(text, null)],
    end: [chunk('', 'stop'), { ...head, choices: [], usage }, '[DONE]'],
    named: false,
    whole: { ...chunk(text, 'stop'), usage },
  };
}

function messages({ inputTokens, outputTokens }: Work): Reply {
  const head = { id: crypto.randomUUID(), type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
  const text = word.repeat(outputTokens);
  const placeholder = { input_tokens: inputTokens, output_tokens: 1 };
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
  return {
    words: [
      { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: placeholder } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    ],
    end: [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ],
    named: true,
    whole: { ...head, content: [{ type: 'text', text }], stop_reason: 'end_turn', usage },
  };
}

function responses({ inputTokens, outputTokens }: Work): Reply {
  const text = word.repeat(outputTokens);
  const usage = responseUsage(inputTokens, outputTokens);
  const done = responseReply({ id: `resp_${crypto.randomUUID()}`, output: [messageItem(text)], usage });
  const events = responseEvents(done);
  const said = events.findIndex(({ type }) => type === 'response.output_text.delta') + 1;
  return { words: events.slice(0, said), end: events.slice(said), named: true, whole: done };
}

function generate({ inputTokens, outputTokens }: Work): Reply {
  const usageMetadata = {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
  };
  const content = { role: 'model', parts: [{ text: word.repeat(outputTokens) }] };
  const last = {
    candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    usageMetadata,
  };
  return {
    words: [{ candidates: [{ index: 0, content }] }],
    end: [last],
    named: false,
    whole: { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata },
  };
}

function writeOperation({ path, tree, inputTokens }: Work): Response {
  if (path.endsWith('/embeddings')) {
    const data = [tree['input']].flat().map((_, index) => ({ object: 'embedding', index, embedding: [1, 0] }));
    const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens };
    return Response.json({ object: 'list', data, model: 'm', usage });
  }
  if (path.includes('/images/')) {
    const count = Number(tree['n'] ?? 1);
    return Response.json({ created: 1, data: Array.from({ length: count }, () => ({ b64_json: 'aGk=' })) });
  }
  if (path.endsWith('/speech')) {
    return new Response(new Uint8Array(2_000), { headers: { 'content-type': 'audio/mpeg' } });
  }
  if (path.endsWith('/transcriptions')) {
    return Response.json({ text: 'so it was said', usage: { type: 'duration', seconds: 2 } });
  }
  if (path.endsWith('/rerank')) {
    const results = [{ index: 0, relevance_score: 1 }];
    return Response.json({ id: 'r', results, meta: { billed_units: { search_units: 1 } } });
  }
  if (path.endsWith('/moderations')) {
    return Response.json({ id: 'mod', model: 'm', results: [{ flagged: false, categories: {}, category_scores: {} }] });
  }
  if (path.endsWith('/videos')) return Response.json({ id: crypto.randomUUID(), object: 'video', status: 'queued' });
  return Response.json({ error: { message: 'unknown path' } }, { status: 404 });
}

/** A video is done at its first poll. */
export function answerVideo(path: string): Response | undefined {
  const [, id, content] = /\/videos\/([^/]+)(\/content)?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  if (content !== undefined) return new Response(new Uint8Array(4_096), { headers: { 'content-type': 'video/mp4' } });
  return Response.json({ id, status: 'completed', seconds: '4', size: '1280x720' });
}

/** More than the bounds of the suite that asks for it. */
const largeBytes = 40_000;

/** The head of a good reply, and a body that never becomes one. */
export function spoiledReply(work: Work, spoiling: Spoiling, released: Promise<void>): Response {
  const { stream } = work;
  const open = stream ? ': begun\n\ndata: {' : '{';
  const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' };
  const body = new ReadableStream({
    async start(controller) {
      const large = stream ? `${open}${padding}}\n\n` : largeReply(work);
      const text = { unreadable: stream ? 'data: <\n\n' : '<', cut: open, stuck: open, large }[spoiling];
      controller.enqueue(new TextEncoder().encode(text));
      if (spoiling === 'stuck') await released;
      controller.close();
    },
  });
  return new Response(body, { headers });
}

const padding = `"padding":"${'x'.repeat(largeBytes)}"`;

/** A conversation's reply, with its usage at its end; an operation's has nothing but its size. */
function largeReply(work: Work): string {
  const writer = writers.find(([path]) => path.test(work.path))?.[1];
  return writer === undefined ? `{${padding}}` : `{${padding},${JSON.stringify(writer(work).whole).slice(1)}`;
}
