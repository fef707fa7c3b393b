/** The image operations as replies: whole, or drafts first as events. */

import { streamEvents } from '../../operations/images/image-events.ts';
import type { EditImageRequest, ImageEvent, MakeImageRequest } from '../../operations/images.ts';
import type { ReplyMaking } from '../../operations/wire.ts';
import { imageThread } from '../images/image-thread.ts';
import { editImageEvents, editImages, makeImageEvents, makeImages } from '../images/make-images.ts';
import { type Engine, type EngineContext, responseOf } from './operations-handler.ts';

const optionsOf = ({ making, signal }: EngineContext) => ({ thread: imageThread, nowMs: () => making.nowMs, signal });

export const makeImage: Engine<'make-image'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  if (request.stream) return await eventsOf(makeImageEvents(request, optionsOf(context)), request, context.making);
  return responseOf(wire.writeReply(await makeImages(request, optionsOf(context)), request, context.making));
};

export const editImage: Engine<'edit-image'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  if (request.stream) return await eventsOf(editImageEvents(request, optionsOf(context)), request, context.making);
  return responseOf(wire.writeReply(await editImages(request, optionsOf(context)), request, context.making));
};

/** Awaits the first event: an invalid option shows there and still gets its own status. */
async function eventsOf(
  events: AsyncGenerator<ImageEvent>,
  request: MakeImageRequest | EditImageRequest,
  making: ReplyMaking,
): Promise<Response> {
  const encoder = new TextEncoder();
  let ready: IteratorResult<ImageEvent> | undefined = await events.next();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = ready ?? (await events.next());
        ready = undefined;
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(streamEvents(next.value, request, making)));
      },
      async cancel() {
        await events.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}
