/** MP3 with @breezystack/lamejs, behind an ID3 tag whose comment holds the text where one is given. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { type AudioEncoder, join, speechRateHz } from './audio-encoder.ts';

const kilobitsPerSecond = 64;
/** The encoder allocates many times the size of what it gets at once; this is a multiple of its frames. */
const samplesAtOnce = 576 * 40;
const utf8 = 3;

export async function mp3Encoder(comment: string): Promise<AudioEncoder> {
  const { Mp3Encoder } = await loadMp3Library();
  const encoder = new Mp3Encoder(1, speechRateHz, kilobitsPerSecond);
  let tag: Uint8Array | undefined = comment === '' ? undefined : commentTag(comment);
  const withTag = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
    const all = join(tag === undefined ? [bytes] : [tag, bytes]);
    tag = undefined;
    return all;
  };
  return {
    add(samples) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < samples.length; at += samplesAtOnce) {
        pieces.push(encoder.encodeBuffer(samples.subarray(at, at + samplesAtOnce)));
      }
      return withTag(join(pieces));
    },
    end: () => withTag(encoder.flush()),
  };
}

/** Fails where the package is absent. */
export async function loadMp3Library(): Promise<typeof import('@breezystack/lamejs')> {
  try {
    return await import('@breezystack/lamejs');
  } catch (cause) {
    throw new GatewayError(
      'provider_unavailable',
      'MP3 is written with the package @breezystack/lamejs, which is not installed. Run `npm ci`, or ask for wav, flac or pcm.',
      { cause },
    );
  }
}

/** ID3 version 2.4, the first that knows UTF-8. */
function commentTag(comment: string): Uint8Array {
  const language = new TextEncoder().encode('eng');
  const text = new TextEncoder().encode(comment);
  // A zero byte ends the empty description, between the language and the text.
  const content = join([Uint8Array.of(utf8), language, Uint8Array.of(0), text]);
  const frame = join([new TextEncoder().encode('COMM'), sevenBitWord(content.length), Uint8Array.of(0, 0), content]);
  return join([new TextEncoder().encode('ID3'), Uint8Array.of(4, 0, 0), sevenBitWord(frame.length), frame]);
}

/** Lengths use seven bits of each byte, so that no length looks like the start of a frame. */
function sevenBitWord(value: number): Uint8Array {
  return Uint8Array.of((value >>> 21) & 0x7f, (value >>> 14) & 0x7f, (value >>> 7) & 0x7f, value & 0x7f);
}
