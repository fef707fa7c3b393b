/** How much audio one sample of an MP4 track holds, by its codec's own description. ISO/IEC 14496-1 section 7.2.6, 14496-3 section 1.6 (read 2026-11-19). */

export interface FrameForm {
  /** In each frame of one channel. */
  readonly samples: number;
  readonly perSecond: number;
}

const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
/** Plain AAC, with bands that are made of its own, and with stereo that is. */
const aacKinds: ReadonlySet<number> = new Set([2, 5, 29]);
/** MPEG-4 audio, and the three profiles of MPEG-2 AAC. */
const aacObjects: ReadonlySet<number> = new Set([0x40, 0x66, 0x67, 0x68]);
const decoderTag = 4;
const specificTag = 5;

/** Of the description of samples (`stsd`), its own head not counted; undefined where it does not say, or describes several. */
export function frameFormOf(description: Uint8Array): FrameForm | undefined {
  if (description.length < 16) return undefined;
  const bytes = Buffer.from(description.buffer, description.byteOffset, description.byteLength);
  if (bytes.readUInt32BE(4) !== 1) return undefined;
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'mp4a') return slowestOf(placesOf(bytes, 'esds').map((at) => aacForm(bytes.subarray(at + 8))));
  // The second mention is the codec's own description; the first names the entry.
  if (kind === 'alac')
    return slowestOf(placesOf(bytes.subarray(16), 'alac').map((at) => alacForm(bytes.subarray(at + 24))));
  return undefined;
}

/** Whichever of several a decoder takes. */
function slowestOf(forms: readonly (FrameForm | undefined)[]): FrameForm | undefined {
  const known = forms.filter((form) => form !== undefined);
  if (known.length < forms.length) return undefined;
  return known.toSorted((a, b) => b.samples / b.perSecond - a.samples / a.perSecond)[0];
}

function placesOf(bytes: Buffer, mark: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) places.push(at);
  return places;
}

/** The magic cookie: the length of a frame first, the rate last. */
function alacForm(cookie: Buffer): FrameForm | undefined {
  if (cookie.length < 24) return undefined;
  const form = { samples: cookie.readUInt32BE(0), perSecond: cookie.readUInt32BE(20) };
  return form.samples > 0 && form.perSecond > 0 ? form : undefined;
}

/** Descriptors inside each other: of the stream, of its decoder, of its codec. */
function aacForm(bytes: Buffer): FrameForm | undefined {
  const stream = contentOf(bytes, 3);
  // Its flags would move what follows.
  if (stream === undefined || (stream[2] ?? 0) >> 5 !== 0) return undefined;
  const decoder = contentOf(stream.subarray(3), decoderTag);
  if (decoder === undefined || !aacObjects.has(decoder[0] ?? 0)) return undefined;
  const specific = contentOf(decoder.subarray(13), specificTag);
  return specific === undefined || specific.length < 2 ? undefined : specificForm(specific);
}

function specificForm([first = 0, second = 0, third = 0, fourth = 0, fifth = 0]: Uint8Array): FrameForm | undefined {
  const kind = first >> 3;
  const rateIndex = ((first & 0x07) << 1) | (second >> 7);
  if (!aacKinds.has(kind)) return undefined;
  if (rateIndex === 15) {
    const rate = ((second & 0x7f) << 17) | (third << 9) | (fourth << 1) | (fifth >> 7);
    return rate > 0 ? { samples: 1_024, perSecond: rate } : undefined;
  }
  const rate = aacRates[rateIndex];
  if (rate === undefined) return undefined;
  const isShort = kind === 2 && (second & 0x04) !== 0;
  return { samples: isShort ? 960 : 1_024, perSecond: rate };
}

/** What the descriptor of this tag holds; its length is in up to four bytes of seven bits. */
function contentOf(bytes: Buffer, tag: number): Buffer | undefined {
  if (bytes[0] !== tag) return undefined;
  let length = 0;
  for (let at = 1; at <= 4; at++) {
    const byte = bytes[at] ?? 0;
    length = (length << 7) | (byte & 0x7f);
    if ((byte & 0x80) === 0) return bytes.subarray(at + 1, at + 1 + length);
  }
  return undefined;
}
