/**
 * How many tokens a spoken reply was billed as, by its own length: a provider that bills speech by tokens reports none beside
 * bare audio, and what was asked for does not say how slowly it is spoken.
 */

/** As models that bill speech by tokens count: https://platform.openai.com/docs/pricing (read 2026-11-19). */
const tokensPerSecond = 21;

/** Of 24 kHz, one channel; compressed formats at the rates that speech usually has in them. */
const bytesPerSecond: readonly (readonly [RegExp, number])[] = [
  [/pcm|l16|wav/, 48_000],
  [/flac/, 24_000],
  [/aac|mp4/, 8_000],
  [/opus|ogg|webm/, 4_000],
  [/mpeg|mp3/, 16_000],
];

/** Of MPEG audio, layer III, by the four bits of a frame's head: version 1, then versions 2 and 2.5. */
const kilobits = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;

/** `head`: the first bytes of the reply. */
export function spokenTokens(contentType: string, bytes: number, head: Uint8Array): number {
  const type = contentType.toLowerCase();
  const usual = bytesPerSecond.find(([pattern]) => pattern.test(type))?.[1];
  if (usual === undefined) return 0;
  const perSecond = /mpeg|mp3/.test(type) ? (mp3Rate(head) ?? usual) : usual;
  return Math.ceil((bytes / perSecond) * tokensPerSecond);
}

function mp3Rate(head: Uint8Array): number | undefined {
  for (let at = 0; at + 2 < head.length; at++) {
    if (head[at] !== 0xff || ((head[at + 1] ?? 0) & 0xe6) !== 0xe2) continue;
    const rates = ((head[at + 1] ?? 0) & 0x18) === 0x18 ? kilobits[0] : kilobits[1];
    const rate = rates[(head[at + 2] ?? 0) >> 4];
    if (rate !== undefined && rate > 0) return (rate * 1_000) / 8;
  }
  return undefined;
}
