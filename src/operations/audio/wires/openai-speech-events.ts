/**
 * OpenAI speech as server-sent events: each carries a chunk of audio in base64, and the last one the usage.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { Consumption } from '../../consumption.ts';
import type { ByteRewriting } from '../../wire.ts';
import { eventData, eventStream } from '../event-data.ts';

export function speechDelta(piece: Uint8Array): string {
  const audio = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64');
  return event({ type: 'speech.audio.delta', audio });
}

/** The wire wants three counts; where a provider counts no tokens they are zero. */
export function speechDone({ tokens }: Consumption): string {
  const input = tokens?.input.total ?? 0;
  const output = tokens?.output.total ?? 0;
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return event({ type: 'speech.audio.done', usage });
}

const encoder = new TextEncoder();

/** Audio without a token count, for a client that wants events. */
export const speechRewriting: ByteRewriting = {
  contentType: eventStream,
  piece: (bytes) => encoder.encode(speechDelta(bytes)),
  end: () => encoder.encode(speechDone({})),
};

/** Puts the audio together that came as events. A stream without its end is no reply. */
export function readSpeechEvents(text: string): { readonly bytes: Uint8Array<ArrayBuffer>; readonly done: Tree } {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (const data of eventData(text)) {
    if (!isObject(data)) continue;
    if (data['type'] === 'speech.audio.delta' && typeof data['audio'] === 'string') {
      pieces.push(new Uint8Array(Buffer.from(data['audio'], 'base64')));
    }
    if (data['type'] === 'speech.audio.done') return { bytes: joined(pieces), done: data };
  }
  throw new SyntaxError('the events of the audio have no end');
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}

function event(data: Tree): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
