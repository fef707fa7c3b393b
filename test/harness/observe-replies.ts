/**
 * Checks every reply that a test gets from a Weir with its oracle: the global `fetch` is observed, so no
 * test has to call this.
 */

import { oracleFor } from '../oracles/index.ts';
import { type OracleRequest, replyFault } from '../oracles/oracle.ts';

/** More than this is a test of sizes, and is not collected. */
const observedBytesMax = 8_000_000;

type Report = (fault: string) => void;

interface Observation {
  readonly original: typeof globalThis.fetch;
  readonly origins: Map<string, Report>;
}

/** One for the process, as `fetch` is. */
const place = globalThis as { weirReplyObservation?: Observation };

/** From now on every reply of this origin is checked; the result ends that. */
export function observeReplies(origin: string, report: Report = reportFault): () => void {
  place.weirReplyObservation ??= install();
  const { origins } = place.weirReplyObservation;
  origins.set(origin, report);
  return () => origins.delete(origin);
}

/** Is it the URL, of HTTP or of a WebSocket, of a Weir whose replies are checked? */
export function isObserved(url: string): boolean {
  const { origin } = new URL(url.replace(/^ws/, 'http'));
  return place.weirReplyObservation?.origins.has(origin) === true;
}

function install(): Observation {
  const original = globalThis.fetch;
  const origins = new Map<string, Report>();
  const observed = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const reply = await original(address as string, init);
    const url = new URL(address instanceof Request ? address.url : address);
    const report = origins.get(url.origin);
    return report === undefined ? reply : observe(requestOf(url, address, init), reply, report);
  };
  globalThis.fetch = Object.assign(observed, original);
  return { original, origins };
}

/** For who checks a reply by other means. */
export function unobservedFetch(): typeof globalThis.fetch {
  return place.weirReplyObservation?.original ?? globalThis.fetch;
}

export function requestOf(url: URL, address: string | URL | Request, init: RequestInit | undefined): OracleRequest {
  const request = address instanceof Request ? address : undefined;
  return {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    path: url.pathname,
    query: url.searchParams,
    headers: new Headers(init?.headers ?? request?.headers),
  };
}

function observe(request: OracleRequest, reply: Response, report: Report): Response {
  const oracle = oracleFor(request);
  const contentType = reply.headers.get('content-type') ?? '';
  const isJudged = /^(application\/json|text\/event-stream)/.test(contentType) || reply.status >= 400;
  if (oracle === undefined || !isJudged || reply.status === 304) return reply;
  return withObservedBody(reply, (text, complete) => {
    const fault = replyFault(oracle, { request, status: reply.status, contentType, text, complete });
    if (fault !== undefined) report(fault);
  });
}

/** Fails the test that runs, whatever it does with the reply: a client may swallow what is thrown into its stream. */
export function reportFault(fault: string): void {
  const error = new Error(fault);
  queueMicrotask(() => {
    throw error;
  });
}

/**
 * The same reply, looked at while it is read. A clone would be read on after the test has cancelled its own half, and the
 * connection with it.
 */
export function withObservedBody(reply: Response, judge: (text: string, complete: boolean) => void): Response {
  const text = reply.text.bind(reply);
  const nativeBody = Object.getOwnPropertyDescriptor(Response.prototype, 'body')?.get?.bind(reply);
  let body: ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined;
  const wholeText = async (): Promise<string> => {
    if (body !== undefined) return await new Response(body).text();
    const whole = await text();
    judge(whole, true);
    return whole;
  };
  const wholeBytes = async (): Promise<Uint8Array<ArrayBuffer>> => new TextEncoder().encode(await wholeText());
  Object.defineProperties(reply, {
    text: { value: wholeText },
    json: { value: async () => JSON.parse(await wholeText()) as unknown },
    bytes: { value: wholeBytes },
    arrayBuffer: { value: async () => (await wholeBytes()).buffer },
    body: {
      get() {
        if (body === undefined) body = observedStream(nativeBody?.() ?? null, judge);
        return body;
      },
    },
  });
  return reply;
}

function observedStream(
  source: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  judge: (text: string, complete: boolean) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  if (source === null) return null;
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let text = '';
  const end = (complete: boolean): void => {
    if (text.length <= observedBytesMax) judge(text, complete);
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (value !== undefined) {
            if (text.length <= observedBytesMax) text += decoder.decode(value, { stream: true });
            controller.enqueue(value);
          }
          if (!done) return;
          end(true);
          controller.close();
        } catch (error) {
          end(false);
          controller.error(error);
        }
      },
      async cancel(reason) {
        end(false);
        await reader.cancel(reason);
      },
    },
    // Reads on demand, as the reply itself does.
    { highWaterMark: 0 },
  );
}
