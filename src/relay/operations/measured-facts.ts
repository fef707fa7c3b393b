/** What an audio request can cost, once its file was read to learn its duration. */

import { SoundMeter } from '../../operations/audio/audio-length.ts';
import type { ClientWire, OperationFacts, WireBody } from '../../operations/wire.ts';

type Sound = NonNullable<ClientWire<unknown, unknown>['sound']>;

export async function measuredFacts(sound: Sound, facts: OperationFacts, body: WireBody): Promise<OperationFacts> {
  const file = sound.in(body);
  if (file === undefined) return facts;
  const meter = new SoundMeter();
  for await (const piece of file.open()) meter.take(piece);
  return sound.lasting(facts, file, meter.length);
}
