/** A request's body in memory, for transports that cannot stream it: the sandbox, and tests. */

import { isStreamed, type UpstreamRequest } from './transport.ts';

type WholeBody = Uint8Array<ArrayBuffer> | string | undefined;

/** Never larger than the body itself said: its maker has checked that against its limits. */
export async function wholeBody(body: UpstreamRequest['body']): Promise<WholeBody> {
  if (!isStreamed(body)) return body;
  const whole = new Uint8Array(body.bytes);
  let at = 0;
  for await (const piece of body.open()) {
    if (at + piece.length > whole.length) throw new Error(`The body is longer than its ${body.bytes} bytes.`);
    whole.set(piece, at);
    at += piece.length;
  }
  if (at < whole.length) throw new Error(`The body ended after ${at} of ${body.bytes} bytes.`);
  return whole;
}
