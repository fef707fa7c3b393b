/** Sends an attempt to its provider and judges the head of the answer. */

import { editFields } from '../http/json-body.ts';
import { providerHeaders } from '../providers/assemble.ts';
import { AttemptFailure, verdictOfStatus } from '../upstream/verdict.ts';
import type { Attempt } from './attempt.ts';

/** A provider's error page is read no further than this. */
const errorBodyBytesMax = 65_536;

export async function send(attempt: Attempt, url: string, wallMs: () => number): Promise<Response> {
  const { call, target, key, patch } = attempt;
  const headers = providerHeaders(target.provider, key);
  headers['content-type'] = 'application/json';
  headers['user-agent'] = 'weir';
  // Compressed events would arrive late: the compressor on the other side waits for more of them.
  if (call.facts.stream) headers['accept-encoding'] = 'identity';
  Object.assign(headers, call.passHeaders);
  const body = editFields(call.body, patch.edits);
  const response = await target.provider.transport({ url, method: 'POST', headers, body, signal: attempt.signal });
  attempt.headArrived();
  if (response.status === 200) return response;
  const text = await readError(response);
  throw new AttemptFailure(
    verdictOfStatus({
      status: response.status,
      fault: call.format.readFault(text),
      retryAfter: response.headers.get('retry-after'),
      provider: target.provider.name,
      secret: key.value,
      nowMs: wallMs(),
    }),
  );
}

async function readError(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > errorBodyBytesMax) break;
    }
  } catch {
    // The status is what counts; a body that breaks off changes nothing about it.
  }
  return text;
}
