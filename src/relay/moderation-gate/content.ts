/** What moderation checks of a reply: its texts, its images, and what it cannot read; and how long texts are cut. */

import type { MediaPart, Part } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import { isHighSurrogate } from '../../conversation/texts/utf8-text.ts';
import { summaryOf } from '../../formats/openai-responses/compaction/compacted-item.ts';

export interface Content {
  /** One for each turn, tool or other part of a request: each is checked once. */
  readonly segments: readonly string[];
  /** URLs or data URLs. */
  readonly images: readonly string[];
  /** The first thing that cannot be checked, in words that follow "it holds". */
  readonly unreadable: string | undefined;
}

/** Everything that the caller would see, thoughts and the arguments of calls included. */
export function contentOfReply({ candidates }: TextReply): Content {
  const collected = new Collected();
  for (const { parts } of candidates) collected.addAll(parts);
  return collected;
}

class Collected implements Content {
  readonly #texts: string[] = [];
  readonly images: string[] = [];
  unreadable: string | undefined;

  get segments(): readonly string[] {
    return this.#texts.length === 0 ? [] : [this.#texts.join('\n')];
  }

  addAll(parts: readonly Part[]): void {
    for (const part of parts) this.#add(part);
  }

  #add(part: Part): void {
    switch (part.type) {
      case 'text':
      case 'thinking':
      case 'refusal':
        this.#addText(part.text);
        break;
      case 'tool-call':
        this.#addText(part.name);
        this.#addText(part.arguments);
        break;
      case 'tool-result':
        this.addAll(part.parts);
        break;
      case 'media':
        this.#addMedia(part);
        break;
      case 'native':
        this.#addValue(part.value);
        break;
    }
  }

  #addText(text: string): void {
    if (text.trim() !== '') this.#texts.push(text);
  }

  #addMedia(part: MediaPart): void {
    const { media, mediaType = '', source, context } = part;
    if (context !== undefined) this.#addText(context);
    if (source.kind === 'text') this.#addText(source.text);
    else if (source.kind === 'base64' && /^text\/|\bjson\b/.test(mediaType)) {
      this.#addText(Buffer.from(source.data, 'base64').toString('utf8'));
    } else if (media !== 'image') this.unreadable ??= nameOf[media];
    else if (source.kind === 'base64') this.images.push(`data:${mediaType || 'image/png'};base64,${source.data}`);
    else if (source.kind === 'url' && isImageUrl(source.url)) this.images.push(source.url);
    else this.unreadable ??= 'an image that only its provider can look up';
  }

  /** A part that only one format has is checked by every text in it, whatever its field. */
  #addValue(value: unknown): void {
    if (typeof value === 'string') {
      if (/^data:image\//i.test(value)) this.images.push(value);
      else this.#addText(summaryOf(value) ?? value);
    } else if (Array.isArray(value)) {
      if (value.some((entry) => typeof entry === 'number')) this.unreadable ??= 'numbers in the place of words';
      for (const entry of value) this.#addValue(entry);
    } else if (typeof value === 'object' && value !== null) {
      for (const entry of Object.values(value)) this.#addValue(entry);
    }
  }
}

const nameOf = { image: 'an image', audio: 'audio', video: 'a video', document: 'a document' } as const;

function isImageUrl(url: string): boolean {
  return /^(https?:\/\/.|data:image\/)/i.test(url);
}

/** Moderation models take a few thousand words at once and are less accurate in the middle of long texts. */
const pieceCharacters = 8_000;
/** So that a sentence that is cut in two is whole in one of the pieces. */
export const sharedCharacters = 400;

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceCharacters, text.length);
    // A surrogate pair must not be cut.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(text.slice(start, end));
    if (end === text.length) break;
    start = end - sharedCharacters;
    if (isHighSurrogate(text.charCodeAt(start - 1))) start -= 1;
  }
  return pieces;
}
