/** Sends an attempt to its provider and judges the head of the answer. */

import { editFields } from '../http/json-body.ts';
import { providerHeaders } from '../providers/assemble.ts';
import type { UpstreamReply } from '../upstream/transport.ts';
import { AttemptFailure, verdictOfStatus } from '../upstream/verdict.ts';
import type { Attempt } from './attempt.ts';

/** A provider's error page is read no further than this. */
const errorBodyBytesMax = 65_536;

export async function send(attempt: Attempt, url: string, wallMs: () => number): Promise<UpstreamReply> {
  const { call, target, key, patch } = attempt;
  const headers = providerHeaders(target.provider, key);
  headers['content-type'] = 'application/json';
  headers['user-agent'] = 'weir';
  // Compressed events would arrive late: the compressor on the other side waits for more of them.
  if (call.facts.stream) headers['accept-encoding'] = 'identity';
  Object.assign(headers, call.passHeaders);
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
