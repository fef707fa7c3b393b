/** The audio operations as replies: speech streams as it is synthesized, a transcript comes whole or as events. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { TranscribeRequest, Transcript } from '../../operations/transcribe.ts';
import type { FormFile, WireBody } from '../../operations/wire.ts';
import { speaker } from '../speech/speak.ts';
import { createTranscriber } from '../speech/transcribe.ts';
import { type Engine, responseOf } from './operations-handler.ts';

const transcriber = createTranscriber();

export const speakEngine: Engine<'speak'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  const { input: text, voice, format, speed } = request;
  const { mediaType, pieces } = await speaker.speak({ text, voice, format, ...(speed !== undefined && { speed }) });
  // An error in the first piece still gets its own status.
  const first = await pieces.next();
  const rewriting = wire.rewriting?.(request, context.making);
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (first.done !== true) controller.enqueue(rewriting?.piece(first.value) ?? first.value);
      },
      async pull(controller) {
        const next = await pieces.next();
        if (next.done !== true) controller.enqueue(rewriting?.piece(next.value) ?? next.value);
        else {
          const last = rewriting?.end();
          if (last !== undefined) controller.enqueue(last);
          controller.close();
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: { 'content-type': rewriting?.contentType ?? mediaType } });
};

export const transcribeEngine: Engine<'transcribe'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  return responseOf(wire.writeReply(await transcriptOf(body, request), request, context.making));
};

export const translateEngine: Engine<'translate'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  return responseOf(wire.writeReply(await transcriptOf(body, request), request, context.making));
};

async function transcriptOf(body: WireBody, request: TranscribeRequest): Promise<Transcript> {
  const file = fileIn(body);
  if (file === undefined) throw new GatewayError('field_missing', 'Send the recording as `file`.', { param: 'file' });
  const pieces: Uint8Array[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  return transcriber.transcribe(Buffer.concat(pieces), request);
}

function fileIn(body: WireBody): FormFile | undefined {
  if (body.kind !== 'form') return undefined;
  for (const { name, value } of body.fields) if (name === 'file' && typeof value !== 'string') return value;
  return undefined;
}
