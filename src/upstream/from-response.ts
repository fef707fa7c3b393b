/** Shows a `Response` as an upstream reply: for transports that are made of fetch, and for the sandbox. */

import { ReplyTooLargeError, type Transport, type UpstreamReply } from './transport.ts';

export function replyFromResponse(response: Response): UpstreamReply {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const open = (): ReadableStreamDefaultReader<Uint8Array> | undefined => {
    reader ??= response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
    return reader;
  };
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    async whole(bytesMax) {
      const announced = Number(response.headers.get('content-length') ?? Number.NaN);
      if (announced <= bytesMax) return (await response.bytes()) as Uint8Array<ArrayBuffer>;
      const pieces: Uint8Array[] = [];
      let total = 0;
      for (let next = await open()?.read(); next?.done === false; next = await open()?.read()) {
        total += next.value.length;
        if (total > bytesMax) {
          void reader?.cancel();
          throw new ReplyTooLargeError(bytesMax);
        }
        pieces.push(next.value);
      }
      return Buffer.concat(pieces);
    },
    async read() {
      const next = await open()?.read();
      return next === undefined || next.done ? undefined : next.value;
    },
    cancel() {
      void open()
        ?.cancel()
        .catch(() => undefined);
    },
  };
}

/** A fetch over a provider's transport, for callers that only read a small reply and its date. */
export async function fetchBy(
  transport: Transport,
  url: string,
  { headers = {}, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Response> {
  const reply = await transport({ url, method: 'GET', headers, signal });
  const bytes = await reply.whole(smallBytesMax);
  const shown = ['date', 'content-type'].flatMap((name) => {
    const value = reply.header(name);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  return new Response(bytes.length === 0 ? null : bytes, { status: reply.status, headers: shown });
}

const smallBytesMax = 16_777_216;
