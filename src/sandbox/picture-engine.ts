/** The sandbox's pictures as replies: whole, or drafts first where the caller wants to watch. */

import { streamEvents } from '../operations/images/image-events.ts';
import type { EditImageRequest, ImageEvent, MakeImageRequest } from '../operations/images.ts';
import type { ClientWireOf } from '../operations/types.ts';
import type { ReplyMaking } from '../operations/wire.ts';
import type { Engine, EngineContext } from './operations-handler.ts';
import { editPictureEvents, editPictures, makePictureEvents, makePictures } from './pictures/make-pictures.ts';
import { createPictureThread } from './pictures/picture-thread.ts';

const thread = createPictureThread();

const optionsOf = ({ making, signal }: EngineContext) => ({ thread, nowMs: () => making.nowMs, signal });

export const makeImage: Engine<'make-image'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  if (request.stream) return await eventsOf(makePictureEvents(request, optionsOf(context)), request, context.making);
  return write(wire, await makePictures(request, optionsOf(context)), request, context.making);
};

export const editImage: Engine<'edit-image'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  if (request.stream) return await eventsOf(editPictureEvents(request, optionsOf(context)), request, context.making);
  return write(wire, await editPictures(request, optionsOf(context)), request, context.making);
};

function write<Name extends 'make-image' | 'edit-image'>(
  wire: ClientWireOf<Name>,
  reply: Parameters<ClientWireOf<Name>['writeReply']>[0],
  request: Parameters<ClientWireOf<Name>['writeReply']>[1],
  making: ReplyMaking,
): Response {
  const { contentType, body } = wire.writeReply(reply, request, making);
  return new Response(body, { headers: { 'content-type': contentType } });
}

/** The first event is awaited: what is wrong with the wishes shows there, and can still be a true status. */
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
