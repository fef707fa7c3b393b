/** Sends an attempt to its provider and judges the head of the answer. */

import type { ProviderKey } from '../config/config.ts';
import { editFields } from '../http/json-body.ts';
import { providerHeaders } from '../providers/assemble.ts';
import type { UpstreamReply } from '../upstream/transport.ts';
import { AttemptFailure, verdictOfStatus } from '../upstream/verdict.ts';
import type { Attempt } from './attempt.ts';

/** A provider's error page is read no further than this. */
const errorBodyBytesMax = 65_536;

export async function send(attempt: Attempt, url: string, wallMs: () => number): Promise<UpstreamReply> {
  const { call, target, key, patch } = attempt;
  const headers = headersOf(attempt);
  const body = editFields(call.body, patch.edits);
  const reply = await target.provider.transport({ url, method: 'POST', headers, body, signal: attempt.signal });
  attempt.headArrived();
  if (reply.status === 200) return reply;
  const text = await readError(reply);
  throw new AttemptFailure(
    verdictOfStatus({
      status: reply.status,
      fault: call.format.readFault(text),
      retryAfter: reply.header('retry-after') ?? null,
      provider: target.provider.name,
      secret: key.value,
      nowMs: wallMs(),
    }),
  );
}

interface KeyHeaders {
  readonly whole: Readonly<Record<string, string>>;
  readonly stream: Readonly<Record<string, string>>;
}

/** The head is the same for every request with a key, apart from what the caller's format passes on. */
const keyHeaders = new WeakMap<ProviderKey, KeyHeaders>();

function headersOf({ call, target, key }: Attempt): Readonly<Record<string, string>> {
  let known = keyHeaders.get(key);
  if (known === undefined) {
    const whole = Object.freeze({
      ...providerHeaders(target.provider, key),
      'content-type': 'application/json',
      'user-agent': 'weir',
    });
    // Compressed events would arrive late: the compressor on the other side waits for more of them.
    known = { whole, stream: Object.freeze({ ...whole, 'accept-encoding': 'identity' }) };
    keyHeaders.set(key, known);
  }
  const headers = call.facts.stream ? known.stream : known.whole;
  return call.passHeaders === undefined ? headers : { ...headers, ...call.passHeaders };
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
    // The status is what counts; a body that breaks off changes nothing about it.
  }
  return text;
}
