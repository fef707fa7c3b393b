/** Shows a `Response` as an upstream reply: for transports that are made of fetch, and for the sandbox. */

import { ReplyTooLargeError, type UpstreamReply } from './transport.ts';

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
