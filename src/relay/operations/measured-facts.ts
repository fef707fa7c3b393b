/** What an audio request can cost, once its file was read to learn its duration. */

import type { Slices } from '../../http/json/in-slices.ts';
import { AudioMeter } from '../../operations/audio/length/audio-length.ts';
import type { ClientWire, OperationFacts, WireBody } from '../../operations/wire.ts';

type Audio = NonNullable<ClientWire<unknown, unknown>['audio']>;

/** So much of a file is looked at in one step: a millisecond or two, whatever it is made of. */
const stepBytes = 16_384;

export async function measuredFacts(
  audio: Audio,
  facts: OperationFacts,
  body: WireBody,
  slices: Slices,
): Promise<OperationFacts> {
  const file = audio.in(body);
  if (file === undefined) return facts;
  const meter = new AudioMeter(file.bytes);
  for await (const piece of file.open('lent')) {
    if (file.bytes <= stepBytes) meter.take(piece);
    else await slices.run(new PieceWalk(meter, piece));
    if (!meter.wantsMore) break;
  }
  return audio.lasting(facts, file, meter.length);
}

/** A file in memory comes in pieces of megabytes. */
class PieceWalk {
  readonly #meter: AudioMeter;
  readonly #piece: Uint8Array;
  #at = 0;

  constructor(meter: AudioMeter, piece: Uint8Array) {
    this.#meter = meter;
    this.#piece = piece;
  }

  step(): boolean {
    const from = this.#at;
    this.#at += stepBytes;
    this.#meter.take(this.#piece.subarray(from, this.#at));
    return this.#at >= this.#piece.length || !this.#meter.wantsMore;
  }
}
