/** Plays a voice that arrives in pieces without a gap between them, knows how much of it was heard, and falls silent at once when it is interrupted. */

import { base64ToPcm16, toFractions } from '../sound/samples.ts';

export interface Loudspeaker {
  play(itemId: string, base64: string): void;
  /** Stops at once; says which item was playing and how much of it was heard. */
  silence(): { readonly itemId: string; readonly heardMs: number } | undefined;
  close(): void;
}

/** A little patience keeps the first pieces from stumbling over the network. */
const leadSeconds = 0.08;

export function createLoudspeaker(rateHz: number): Loudspeaker {
  const context = new AudioContext();
  const playing = new Set<AudioBufferSourceNode>();
  let endsAt = 0;
  let item: { readonly id: string; readonly startedAt: number } | undefined;
  return {
    play(itemId, base64) {
      const samples = base64ToPcm16(base64);
      if (samples === undefined || samples.length === 0) return;
      void context.resume().catch(() => undefined);
      const buffer = context.createBuffer(1, samples.length, rateHz);
      buffer.copyToChannel(toFractions(samples), 0);
      const node = context.createBufferSource();
      node.buffer = buffer;
      node.connect(context.destination);
      const startsAt = Math.max(endsAt, context.currentTime + leadSeconds);
      if (item?.id !== itemId) item = { id: itemId, startedAt: startsAt };
      node.start(startsAt);
      endsAt = startsAt + buffer.duration;
      playing.add(node);
      node.onended = () => playing.delete(node);
    },
    silence() {
      const wasPlaying = playing.size > 0 ? item : undefined;
      for (const node of playing) node.stop();
      playing.clear();
      endsAt = 0;
      item = undefined;
      if (wasPlaying === undefined) return undefined;
      return {
        itemId: wasPlaying.id,
        heardMs: Math.max(0, Math.round((context.currentTime - wasPlaying.startedAt) * 1_000)),
      };
    },
    close() {
      void context.close().catch(() => undefined);
    },
  };
}
