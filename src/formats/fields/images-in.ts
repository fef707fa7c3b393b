/**
 * Images that a body brings along. Their number bounds their tokens, so what counts as an image must be one: the type that is
 * said and the bytes decide, not the name of the field.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';

/** What an image is taken for until it is known which model reads it; a bound at a target has the model's own figure. */
export const imageTokensAssumed = 8_192;

/** The first bytes of what is no image, one character each: video, audio, documents and archives. */
const beginnings: readonly (readonly [string, RegExp])[] = [
  ['a PDF document', /^%PDF/],
  ['MP3 audio', /^(?:ID3|\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff])/],
  ['Ogg audio or video', /^OggS/],
  ['FLAC audio', /^fLaC/],
  ['WebM or Matroska video', /^\x1a\x45\xdf\xa3/],
  ['an archive', /^(?:PK[\x03\x05]|\x1f\x8b)/],
  ['WAVE audio', /^RIFF.{4}WAVE/s],
  ['AVI video', /^RIFF.{4}AVI /s],
  ['MPEG video', /^\0\0\x01[\xb3\xba]/],
  // The same container holds images, of these brands.
  ['MP4 video or audio', /^.{4}ftyp(?!avi[fs]|hei[cfsx]|hev[cx]|mif[12]|msf1|jxl )/s],
];
const beginningCharacters = 32;

/** What the bytes are where they are certainly no image. */
function otherKind(base64: string): string | undefined {
  if (base64 === '') return undefined;
  const bytes = Buffer.from(base64.slice(0, beginningCharacters), 'base64').toString('latin1');
  return beginnings.find(([, pattern]) => pattern.test(bytes))?.[0];
}

export class ImagesIn {
  count = 0;
  /** By how much the tokens of images differ from the characters that they take up in the body. */
  surplus = 0;

  /** An image by its URL, which may hold its bytes; or one whose bytes are elsewhere (`undefined`). Throws where it is none. */
  addUrl(url: string | undefined, param: string): void {
    const head = url === undefined ? null : /^data:([^,;]*)[^,]*?(;base64)?,/i.exec(url.slice(0, headMax));
    if (url === undefined || head === null) this.#add(0);
    else this.add(head[1] ?? '', head[2] === undefined ? '' : url.slice(head[0].length), param, url.length);
  }

  /** `characters`: what it takes up in the body, where that is more than its bytes. */
  add(mediaType: string, base64: string, param: string, characters = base64.length): void {
    const type = mediaType.trim().toLowerCase();
    const kind =
      type !== '' && !type.startsWith('image/') ? type : otherKind(base64.slice(0, 64).replaceAll(/\s/g, ''));
    if (kind !== undefined) {
      const message = `The field \`${param}\` is for an image and holds ${kind.slice(0, 100)}; send it as the kind of input that it is.`;
      throw new GatewayError('field_invalid', message, { param });
    }
    this.#add(characters);
  }

  #add(characters: number): void {
    this.count += 1;
    this.surplus += imageTokensAssumed - characters;
  }
}

const headMax = 300;
