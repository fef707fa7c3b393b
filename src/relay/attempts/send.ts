/** Sends an attempt to its provider, and reads the error of a provider that refuses it. */

import { type HeaderMap, hasFixedHeaders } from '../../providers/sign/authorize.ts';
import { scrubberOf } from '../../providers/sign/provider-scrubber.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { decodeEventStream } from '../../upstream/aws-event-stream.ts';
import { lessonOf } from '../../upstream/faults/refusal-lesson.ts';
import { AttemptFailure, verdictOfStatus } from '../../upstream/faults/verdict.ts';
import type { StreamedBody, UpstreamReply } from '../../upstream/transport.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { Attempt } from './attempt.ts';

/** A provider's error page is read no further than this. */
const errorBodyBytesMax = 65_536;

/** A body that is printed for a request of this size is printed in slices. */
const slicedBytesMin = 524_288;

export function send(parts: RelayParts, attempt: Attempt): Promise<UpstreamReply> {
  const { lane, call } = attempt;
  if (call.bytesIn < slicedBytesMin || lane.printer === undefined) return sendBody(parts, attempt, lane.body());
  const printer = lane.printer();
  return parts.slices.run(printer).then(() => sendBody(parts, attempt, printer.bytes));
}

function sendBody(
  parts: RelayParts,
  attempt: Attempt,
  body: Uint8Array<ArrayBuffer> | StreamedBody,
): Promise<UpstreamReply> {
  const { target, lane, signal } = attempt;
  const { provider } = target;
  const { url } = lane;
  const ownHeaders = attempt.trace?.headers;
  const isLast = attempt.call.facts.stream && provider.quirks.closesAfterStream;
  const headers = headersOf(parts, attempt, url, body);
  if (headers instanceof Promise) {
    return headers
      .then((late) => provider.transport({ url, method: 'POST', headers: late, ownHeaders, body, isLast, signal }))
      .then(framed);
  }
  const reply = provider.transport({ url, method: 'POST', headers, ownHeaders, body, isLast, signal });
  return provider.quirks.framing === undefined ? reply : reply.then(framed);
}

/** A provider with another framing says so by the reply's content type; any other reply passes as it is. */
function framed(reply: UpstreamReply): UpstreamReply {
  return decodeEventStream(reply);
}

/** The verdict on a status other than 200, with the provider's own error. */
export async function failureOf(attempt: Attempt, reply: UpstreamReply, nowMs: number): Promise<AttemptFailure> {
  const { lane, target } = attempt;
  const fault = lane.readFault(await readError(reply));
  const verdict = verdictOfStatus({
    status: reply.status,
    fault,
    retryAfter: reply.header('retry-after') ?? null,
    provider: target.provider.name,
    scrub: scrubberOf(target.provider),
    nowMs,
    header: (name) => reply.header(name),
    // Error codes of the client's own wire pass as they are.
    ...(lane.clientFormat !== lane.providerFormat && { speaks: lane.providerFormat }),
  });
  const lesson =
    verdict.kind === 'request-fault' && lane.sent !== undefined && lessonOf(reply.status, fault, lane.sent);
  return new AttemptFailure(lesson ? { ...verdict, lesson } : verdict, reply.status);
}

type SentHeaders = Readonly<Record<string, string>>;

interface KeyHeaders {
  readonly whole: SentHeaders;
  readonly stream: SentHeaders;
}

/** The head is the same for every request with a key, apart from what the caller's format passes on. */
const keyHeaders = new WeakMap<ProviderKey, KeyHeaders>();

function headersOf(
  parts: RelayParts,
  attempt: Attempt,
  url: string,
  body: Uint8Array<ArrayBuffer> | StreamedBody,
): SentHeaders | Promise<SentHeaders> {
  const { key } = attempt;
  const { provider } = attempt.target;
  const known = keyHeaders.get(key);
  if (known !== undefined) return withPassed(known, attempt);
  const given = parts.authorizer.headersFor(provider, key, {
    method: 'POST',
    url,
    // What is streamed cannot be signed; no provider that wants a signature takes such a body.
    body: body instanceof Uint8Array ? body : undefined,
  });
  if (given instanceof Promise) return given.then((late) => withPassed(framedHeaders(late), attempt));
  const made = framedHeaders(given);
  if (hasFixedHeaders(provider.auth)) keyHeaders.set(key, made);
  return withPassed(made, attempt);
}

function framedHeaders(given: HeaderMap): KeyHeaders {
  const whole = Object.freeze({ ...given, 'content-type': 'application/json', 'user-agent': 'weir' });
  // Compressed events would arrive late: the compressor on the other side waits for more of them.
  return { whole, stream: Object.freeze({ ...whole, 'accept-encoding': 'identity' }) };
}

/** Headers of the client's library are meant for providers of its own format only. */
function withPassed(known: KeyHeaders, { call, lane }: Attempt): SentHeaders {
  const headers = call.facts.stream ? known.stream : known.whole;
  const passed = !lane.passesHeaders ? undefined : 'passedHeaders' in lane ? lane.passedHeaders : call.passHeaders;
  if (passed === undefined && lane.headers === undefined && lane.contentType === undefined) return headers;
  const typed = lane.contentType === undefined ? undefined : { 'content-type': lane.contentType };
  return { ...headers, ...typed, ...lane.headers, ...passed };
}

async function readError(reply: UpstreamReply): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let piece = await reply.read(); piece !== undefined; piece = await reply.read()) {
      text += decoder.decode(piece, { stream: true });
      if (text.length <= errorBodyBytesMax) continue;
      reply.cancel();
      break;
    }
  } catch {
    // The status decides; a body that breaks off does not change it.
  }
  return text;
}
