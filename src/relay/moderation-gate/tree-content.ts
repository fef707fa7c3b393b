/**
 * What moderation checks of a JSON body: every text in it, in any field, apart from the protocol's own names; every
 * image; and the first thing that cannot be checked. One segment for each turn or tool, so that known ones are not checked again.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { summaryOf } from '../../formats/openai-responses/compaction/compacted-item.ts';
import type { Content } from './content.ts';
import {
  hasFreeNames,
  isJudgedName,
  isProtocol,
  isSeal,
  type MediaValue,
  mediaIn,
  referenceIn,
} from './field-rules.ts';

export interface TreeOptions {
  /** References that the caller of this can answer for, by the name of their field. */
  readonly known?: ReadonlySet<string>;
  /** The operation turns audio into text, which is checked instead. */
  readonly transcribesAudio?: boolean;
  /** The name of a field whose URLs lead to images. */
  readonly imageField?: string;
}

const nothingKnown: ReadonlySet<string> = new Set();
/** Fields for Weir or for the caller's own records, which no model reads. */
const unread: ReadonlySet<string> = new Set(['metadata', 'labels', 'provider', 'models']);
/** Texts that are JSON again: escapes in them are decoded by their reader. */
const jsonTexts: ReadonlySet<string> = new Set(['arguments', 'partial_json', 'output', 'input']);

export function contentOfTree(tree: Tree, options: TreeOptions = {}): Content {
  const collector = new TreeCollector(options);
  for (const [name, value] of Object.entries(tree)) if (!unread.has(name)) collector.addField(name, value);
  return collector.content();
}

/** Items that came before the request: what was said up to an earlier reply. */
export function contentOfItems(items: readonly unknown[]): Content {
  const collector = new TreeCollector({ known: new Set(['item_reference']) });
  collector.addField('input', items);
  return collector.content();
}

/** What was collected of several bodies. */
export function contentsOf(contents: readonly Content[]): Content {
  return {
    segments: contents.flatMap(({ segments }) => segments),
    images: contents.flatMap(({ images }) => images),
    unreadable: contents.find(({ unreadable }) => unreadable !== undefined)?.unreadable,
  };
}

class TreeCollector {
  readonly #known: ReadonlySet<string>;
  readonly #transcribesAudio: boolean;
  readonly #imageField: string | undefined;
  readonly #segments: string[] = [];
  readonly #images: string[] = [];
  #unreadable: string | undefined;
  #texts: string[] = [];

  constructor({ known = nothingKnown, transcribesAudio = false, imageField }: TreeOptions) {
    this.#imageField = imageField;
    this.#known = known;
    this.#transcribesAudio = transcribesAudio;
  }

  content(): Content {
    return { segments: this.#segments, images: this.#images, unreadable: this.#unreadable };
  }

  addField(name: string, value: unknown): void {
    if (isJudgedName(name, false)) this.#addText(name);
    this.#refer(name, value);
    if (Array.isArray(value)) {
      if (/^(prompt|input)$/.test(name) && hasNumbers(value)) this.#refuse('numbers in the place of words');
      for (const entry of value) {
        this.#walk(entry, name, false);
        this.#endSegment();
      }
    } else this.#walk(value, name, false);
    this.#endSegment();
  }

  #endSegment(): void {
    if (this.#texts.length > 0) this.#segments.push(this.#texts.join('\n'));
    this.#texts = [];
  }

  #refuse(what: string): void {
    this.#unreadable ??= what;
  }

  #refer(name: string, value: unknown): void {
    const what = this.#known.has(name) ? undefined : referenceIn(name, value);
    if (what !== undefined) this.#refuse(what);
  }

  #walk(value: unknown, name: string, free: boolean): void {
    if (typeof value === 'string') this.#addString(value, name, free);
    else if (Array.isArray(value)) for (const entry of value) this.#walk(entry, name, free);
    else if (isObject(value)) this.#addObject(value, name, free);
  }

  #addObject(value: Tree, name: string, free: boolean): void {
    if (!free && this.#addMedia(value, name)) return;
    if (!free && value['type'] === 'item_reference' && !this.#known.has('item_reference')) {
      this.#refuse('an item that only its provider keeps');
    }
    const isCall = /tool_use$/.test(typeof value['type'] === 'string' ? value['type'] : '');
    for (const [field, entry] of Object.entries(value)) {
      if (isJudgedName(field, free)) this.#addText(field);
      if (!free) this.#refer(field, entry);
      this.#walk(entry, field, free || hasFreeNames(field) || (isCall && field === 'input'));
    }
  }

  /** True where it was a medium, and all of it was taken. */
  #addMedia(value: Tree, name: string): boolean {
    if (value['type'] === 'redacted_thinking') return true;
    const bytes = value['data'];
    const mediaType = value['media_type'] ?? value['mimeType'] ?? value['mime_type'];
    if (typeof bytes === 'string' && typeof mediaType === 'string' && value['type'] !== 'text') {
      this.#addBytes(mediaType, bytes);
      return true;
    }
    if (name === 'input_audio' || (value['type'] === 'input_audio' && typeof value['audio'] === 'string')) {
      if (!this.#transcribesAudio) this.#refuse('audio');
      return true;
    }
    if (name === 'image_url' && typeof value['url'] === 'string') {
      this.#addString(value['url'], 'image_url', false);
      return true;
    }
    const { source } = value;
    if (isObject(source) && source['type'] === 'url' && typeof source['url'] === 'string') {
      if (value['type'] === 'image') this.#addString(source['url'], 'image_url', false);
      else this.#refuse('a document');
    }
    return false;
  }

  #addBytes(mediaType: string, base64: string): void {
    if (/^text\/|\bjson\b/.test(mediaType)) this.#addText(Buffer.from(base64, 'base64').toString('utf8'));
    else if (mediaType.startsWith('image/')) this.#images.push(`data:${mediaType};base64,${base64}`);
    else if (mediaType.startsWith('audio/')) {
      if (!this.#transcribesAudio) this.#refuse('audio');
    } else this.#refuse(mediaType.startsWith('video/') ? 'a video' : 'a document');
  }

  #addString(value: string, name: string, free: boolean): void {
    const data = /^data:([^;,]*)[^,]*,/i.exec(value);
    if (data !== null) {
      this.#addDataUrl(data[1] ?? '', value);
      return;
    }
    if (jsonTexts.has(name) && /^\s*[[{]/.test(value)) {
      this.#addJson(value);
      return;
    }
    if (free) {
      this.#addText(value);
      return;
    }
    // Opaque to all but Weir, which shows it to the model as text.
    const summary = summaryOf(value);
    if (summary !== undefined) {
      this.#addText(summary);
      return;
    }
    const medium = mediaIn(name === this.#imageField ? 'image_url' : name, value);
    if (medium !== undefined) this.#addMedium(medium);
    else if (isSeal(name, value) || isProtocol(name, value)) return;
    else this.#addText(value);
  }

  #addMedium(medium: MediaValue): void {
    if (medium.kind === 'image') this.#images.push(medium.url);
    else if (!(this.#transcribesAudio && medium.what === 'audio')) this.#refuse(medium.what);
  }

  #addDataUrl(mediaType: string, url: string): void {
    const comma = url.indexOf(',');
    const body = url.slice(comma + 1);
    if (mediaType.toLowerCase().startsWith('image/')) this.#images.push(url);
    else if (/;base64/i.test(url.slice(0, comma))) this.#addBytes(mediaType.toLowerCase(), body);
    // Not encoded: its words are there to read.
    else this.#addText(body);
  }

  #addJson(text: string): void {
    const value = parsed(text);
    if (value === undefined) {
      this.#addText(text);
      return;
    }
    try {
      this.#walk(value, '', true);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#refuse('a text that nests too deeply');
    }
  }

  #addText(text: string): void {
    if (text.trim() !== '') this.#texts.push(text);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasNumbers(values: readonly unknown[]): boolean {
  return values.some((value) => typeof value === 'number' || (Array.isArray(value) && hasNumbers(value)));
}
