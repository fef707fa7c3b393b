/** Sends an attempt to its provider, and reads what a provider says that does not want it. */

import type { ProviderKey } from '../config/config.ts';
import { editFields } from '../http/json-body.ts';
import { providerHeaders } from '../providers/assemble.ts';
import type { UpstreamReply } from '../upstream/transport.ts';
import { AttemptFailure, verdictOfStatus } from '../upstream/verdict.ts';
import type { Attempt } from './attempt.ts';

/** A provider's error page is read no further than this. */
const errorBodyBytesMax = 65_536;

export function send(attempt: Attempt): Promise<UpstreamReply> {
  const { call, target, patch, signal } = attempt;
  const url = target.provider.urls[call.format.name] ?? '';
  const body = editFields(call.body, patch.edits);
  return target.provider.transport({ url, method: 'POST', headers: headersOf(attempt), body, signal });
}

/** What a status other than 200 means, with what the provider said about it. */
export async function failureOf(attempt: Attempt, reply: UpstreamReply, nowMs: number): Promise<AttemptFailure> {
  const { call, target, key } = attempt;
  return new AttemptFailure(
    verdictOfStatus({
      status: reply.status,
      fault: call.format.readFault(await readError(reply)),
      retryAfter: reply.header('retry-after') ?? null,
      provider: target.provider.name,
      secret: key.value,
      nowMs,
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
