/**
 * The head of a streamed reply is held until the first event, so that a failure can still become a status or a fallback to
 * another candidate. A slow provider must not look like a dead connection: after a while the head is sent
 * all the same, keep-alives follow, and the reply or its error comes as events.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Format } from '../../formats/format.ts';
import type { Deadlines, Watched } from '../../http/deadlines.ts';
import { type Reply, type ReplySource, StreamedReply } from '../../http/reply.ts';
import { jsonArrayOf } from '../lanes/json-array.ts';
import { eventStreamHeaders } from './reply-headers.ts';

/** A streamed reply whose first bytes arrived. */
export interface OpenedStream {
  readonly headers: Record<string, string>;
  readonly source: ReplySource;
}

interface HoldOptions {
  readonly holdMs: number;
  readonly keepAliveMs: number;
  readonly deadlines: Deadlines;
  readonly format: Format;
  readonly requestId: string;
  /** The head was sent and every candidate failed: the client gets an error event, and this is called. */
  onFailure(error: unknown): void;
}

const encoder = new TextEncoder();

/** Answers with the reply, or with a stream that waits for it. Rejects as `opening` does while the head is still held. */
export async function holdHead(opening: Promise<OpenedStream>, options: HoldOptions): Promise<Reply> {
  let timer: Timer | undefined;
  const held = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), options.holdMs);
  });
  try {
    const reply = await Promise.race([opening, held]);
    if (reply !== undefined) return new StreamedReply(reply.source, reply.headers);
  } finally {
    clearTimeout(timer);
  }
  return new StreamedReply(waitingSource(opening, options), eventStreamHeaders(options.requestId, options.format));
}

function waitingSource(opening: Promise<OpenedStream>, options: HoldOptions): ReplySource {
  let source: ReplySource | undefined;
  let left = false;
  let keeper: Watched | undefined;
  const stopKeeping = (): void => {
    if (keeper !== undefined) options.deadlines.delete(keeper);
    keeper = undefined;
  };
  return {
    start(controller) {
      let sentAtMs: number | undefined;
      keeper = {
        tick(nowMs) {
          if (sentAtMs !== undefined && nowMs - sentAtMs < options.keepAliveMs) return;
          sentAtMs = nowMs;
          controller.enqueue(encoder.encode(options.format.keepAlive));
        },
      };
      options.deadlines.add(keeper);
      void opening.then(stopKeeping, stopKeeping);
    },
    async pull(controller) {
      if (source !== undefined) return source.pull(controller);
      try {
        const reply = await opening;
        source = reply.source;
        if (left) return await source.cancel();
        source.start?.(controller);
        return await source.pull(controller);
      } catch (error) {
        options.onFailure(error);
        if (left) return;
        controller.enqueue(encoder.encode(errorEvent(error, options)));
        controller.close();
      }
    },
    heldBytes: () => source?.heldBytes() ?? 0,
    async cancel() {
      left = true;
      stopKeeping();
      // The client's socket is closed; the ticker aborts an attempt that is still in flight.
      await source?.cancel();
    },
  };
}

function errorEvent(error: unknown, { format, requestId }: HoldOptions): string {
  const known =
    error instanceof GatewayError ? error : new GatewayError('internal_error', `Internal error (${requestId}).`);
  const event = format.errorEvent(known, { requestId, ownLibrary: true });
  return format.framing === 'json-array' ? jsonArrayOf(event) : event;
}
