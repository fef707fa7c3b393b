/** What an audio request can cost, once its file was read to learn its duration. */

import { AudioMeter } from '../../operations/audio/audio-length.ts';
import type { ClientWire, OperationFacts, WireBody } from '../../operations/wire.ts';

type Audio = NonNullable<ClientWire<unknown, unknown>['audio']>;

export async function measuredFacts(audio: Audio, facts: OperationFacts, body: WireBody): Promise<OperationFacts> {
  const file = audio.in(body);
  if (file === undefined) return facts;
  const meter = new AudioMeter(file.bytes);
  for await (const piece of file.open('lent')) {
    meter.take(piece);
    if (!meter.wantsMore) break;
  }
  return audio.lasting(facts, file, meter.length);
}
