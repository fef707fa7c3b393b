/**
 * Images that a body brings along. Their number bounds their tokens, so what counts as an image must be one: the type that is
 * said and the bytes decide, not the name of the field.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';

/** What an image is taken for until it is known which model reads it; a bound at a target has the model's own figure. */
export const imageTokensAssumed = 8_192;

/** The first characters of what is no image, in base64: a film, a sound, a document or an archive. */
const beginnings: readonly (readonly [string, RegExp])[] = [
  ['a PDF document', /^JVBER/],
  ['MP3 audio', /^(?:SUQz|\/\/[uv][\w+/])/],
  ['Ogg audio or video', /^T2dnU/],
  ['FLAC audio', /^ZkxhQ/],
  ['WebM or Matroska video', /^GkXfo/],
  ['an archive', /^(?:UEsDB|UEsFB|H4sI)/],
  ['WAVE audio or AVI video', /^UklGR.{6}(?:V0FWR|QVZJI)/],
  ['MPEG video', /^AAABu/],
];

/** `ftyp` after four bytes is a container of films, of audio, or of images, whose brands are these. */
const imageBrand = /^(?:avi[fs]|hei[cfsx]|hev[cx]|mif[12]|msf1|jxl )/;

/** What the bytes are where they are certainly no image. */
function otherKind(base64: string): string | undefined {
  const start = base64.slice(0, 32);
  for (const [kind, pattern] of beginnings) if (pattern.test(start)) return kind;
  const bytes = Buffer.from(start.slice(0, 16), 'base64').toString('latin1');
  if (bytes.slice(4, 8) !== 'ftyp') return undefined;
  return imageBrand.test(bytes.slice(8, 12)) ? undefined : 'MP4 video or audio';
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
