/** The sandbox's voice and ears as replies: speech streams as it is spoken, a transcript comes whole or as events. */

import { GatewayError } from '../conversation/gateway-error.ts';
import type { TranscribeRequest, Transcript } from '../operations/transcribe.ts';
import type { FormFile, WireBody } from '../operations/wire.ts';
import type { Engine, EngineContext } from './operations-handler.ts';
import { createSpeaker } from './sound/speak.ts';
import { createTranscriber } from './sound/transcribe.ts';

/** One thread speaks, whoever asks for it. */
export const speaker = createSpeaker();
const transcriber = createTranscriber();

export const speakEngine: Engine<'speak'> = async (body, wire, context) => {
  const request = wire.readRequest(body, context.model).value;
  const { input: text, voice, format, speed } = request;
  const { mediaType, pieces } = await speaker.speak({ text, voice, format, ...(speed !== undefined && { speed }) });
  // A voice that fails at its first word can still be a true status.
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
  return responseOf(await hear(body, request), (transcript) => wire.writeReply(transcript, request, context.making));
};

export const translateEngine: Engine<'translate'> = async (body, wire, context: EngineContext) => {
  const request = wire.readRequest(body, context.model).value;
  return responseOf(await hear(body, request), (transcript) => wire.writeReply(transcript, request, context.making));
};

function responseOf(
  transcript: Transcript,
  write: (transcript: Transcript) => { readonly contentType: string; readonly body: string | Uint8Array<ArrayBuffer> },
): Response {
  const { contentType, body } = write(transcript);
  return new Response(body, { headers: { 'content-type': contentType } });
}

async function hear(body: WireBody, request: TranscribeRequest): Promise<Transcript> {
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
