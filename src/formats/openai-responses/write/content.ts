/** Writes parts as the content of an item: of the user, an instruction, a tool or the assistant. */

import type { LossList } from '../../../conversation/loss-list.ts';
import { nativeName } from '../../../conversation/native-name.ts';
import type { Citation, MediaPart, NativePart, Part, RefusalPart, TextPart } from '../../../conversation/parts.ts';
import { formatName, writeAnnotation, writeLogprob } from '../wire.ts';

/** Undefined where the format has no such part here; the loss is reported under `path`. */
export function writeInputPart(part: Part, path: string, losses: LossList): object | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'refusal':
      losses.add(`${path} refusal`, 'has no place outside the assistant; written as text');
      return { type: 'input_text', text: part.text };
    case 'media':
      return writeMedia(part, path, losses);
    case 'native':
      return writeNative(part, path, losses);
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      losses.add(`${path} ${part.type}`, 'has no place in this turn');
      return undefined;
  }
}

export function writeNative(part: NativePart, path: string, losses: LossList): object | undefined {
  if (part.format === formatName && typeof part.value === 'object' && part.value !== null) return part.value;
  losses.add(`${path} ${kindOf(part.value)}`, 'is supported by its own format only');
  return undefined;
}

/** The name of a foreign part or tool, for the report of its loss. */
export function kindOf(value: unknown): string {
  return nativeName(value) ?? 'part';
}

export function writeOutputPart(part: TextPart | RefusalPart, path: string, losses: LossList): object {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  const annotations: object[] = [];
  for (const citation of part.citations ?? []) {
    const annotation = writeAnnotation(citation, part.text.length);
    if (annotation === undefined) losses.add(`${path} citation`, 'has no URL, and the format cites URLs only');
    else annotations.push(annotation);
    reportQuote(citation, losses);
  }
  return { type: 'output_text', text: part.text, annotations, logprobs: (part.logprobs ?? []).map(writeLogprob) };
}

/** An annotation of this format's own is complete. */
export function reportQuote({ quote, native }: Citation, losses: LossList): void {
  if (quote === undefined || native?.format === formatName) return;
  losses.addOnce('citation quotes', 'the format names the page, not the words on it');
}

function writeMedia(part: MediaPart, path: string, losses: LossList): object | undefined {
  if (part.context !== undefined) losses.add(`${path} context`, 'has no place beside a file');
  if (part.citable === true) losses.add(`${path} citations`, 'are not supported for a file');
  if (part.media !== 'document' && part.filename !== undefined) {
    losses.add(`${path} ${part.media} name`, 'is not supported by the format');
  }
  if (part.media !== 'image' && part.detail !== undefined) {
    losses.add(`${path} ${part.media} detail`, 'is not supported by the format');
  }
  switch (part.media) {
    case 'image':
      return writeImage(part, path, losses);
    case 'document':
      return writeDocument(part);
    case 'audio':
      return writeAudio(part, path, losses);
    case 'video':
      losses.add(`${path} video`, 'is not supported by the format');
      return undefined;
  }
}

function writeImage(part: MediaPart, path: string, losses: LossList): object | undefined {
  const detail = part.detail === undefined ? {} : { detail: part.detail };
  const { source } = part;
  switch (source.kind) {
    case 'url':
      return { type: 'input_image', image_url: source.url, ...detail };
    case 'base64':
      return { type: 'input_image', image_url: dataUrl(part.mediaType ?? 'image/png', source.data), ...detail };
    case 'file-id':
      return { type: 'input_image', file_id: source.id, ...detail };
    case 'text':
      losses.add(`${path} image`, 'is a text');
      return undefined;
  }
}

const extensions: Readonly<Record<string, string>> = { 'application/pdf': 'pdf', 'text/plain': 'txt' };

/** Bytes need a name: the format takes their type from its ending. */
function writeDocument(part: MediaPart): object {
  const { source } = part;
  const filename = part.filename === undefined ? {} : { filename: part.filename };
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url, ...filename };
  if (source.kind === 'file-id') return { type: 'input_file', file_id: source.id, ...filename };
  const mediaType = part.mediaType ?? (source.kind === 'text' ? 'text/plain' : 'application/pdf');
  const data = source.kind === 'text' ? Buffer.from(source.text).toString('base64') : source.data;
  const named = part.filename ?? `document.${extensions[mediaType] ?? mediaType.slice(mediaType.indexOf('/') + 1)}`;
  return { type: 'input_file', filename: named, file_data: dataUrl(mediaType, data) };
}

const audioFormats: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
};

function writeAudio(part: MediaPart, path: string, losses: LossList): object | undefined {
  const { source, mediaType = 'audio/wav' } = part;
  if (source.kind !== 'base64') {
    losses.add(`${path} audio`, 'must be inline in this format');
    return undefined;
  }
  const format = audioFormats[mediaType] ?? mediaType.replace(/^audio\//, '');
  return { type: 'input_audio', input_audio: { data: source.data, format } };
}

function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}
