/** Writes neutral parts as the parts of a chat message's content. */

import type { LossList } from '../../../conversation/loss-list.ts';
import type { ModelProfile } from '../../../conversation/model-profile.ts';
import { nativeName } from '../../../conversation/native-name.ts';
import type { CacheMark, MediaPart, Part } from '../../../conversation/parts.ts';
import type { WriteQuirks } from '../../codec.ts';
import { formatName } from '../wire.ts';

export interface PartContext {
  readonly quirks: WriteQuirks;
  readonly profile: ModelProfile;
  readonly losses: LossList;
}

/** Undefined, and reported, where the format has no such part. `path` names the message. */
export function writePart(part: Part, path: string, context: PartContext): object | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...writeMark(part.cacheMark, context) };
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'media':
      return writeMedia(part, path, context);
    case 'native':
      if (part.format === formatName) return part.value as object;
      context.losses.add(
        `${path} ${nativeName(part.value) ?? `${part.format} part`}`,
        'is supported by its own format only',
      );
      return undefined;
    default:
      context.losses.add(`${path} ${part.type}`, 'has no place in this turn');
      return undefined;
  }
}

const breakpointLifetimes: ReadonlySet<string> = new Set(['30m', '12h']);

/**
 * The plain format has no marks that every service accepts, so they are written only where a provider asks for them.
 */
export function writeMark(mark: CacheMark | undefined, { quirks, losses }: PartContext): object {
  if (mark === undefined) return {};
  const { lifetime } = mark;
  switch (quirks.cacheMarksAs) {
    case 'cache_control':
      return { cache_control: { type: 'ephemeral', ...(lifetime === undefined ? {} : { ttl: lifetime }) } };
    case 'prompt_cache_breakpoint': {
      const said = lifetime !== undefined && breakpointLifetimes.has(lifetime);
      if (lifetime !== undefined && !said) losses.addOnce('cache mark lifetime', 'is not one of the format');
      return { prompt_cache_breakpoint: { mode: 'explicit', ...(said ? { ttl: lifetime } : {}) } };
    }
    default:
      losses.addOnce('cache marks', 'the format caches by itself');
      return {};
  }
}

function writeMedia(part: MediaPart, path: string, context: PartContext): object | undefined {
  const written = mediaOf(part, path, context.losses);
  return written === undefined ? undefined : { ...written, ...writeMark(part.cacheMark, context) };
}

function mediaOf(part: MediaPart, path: string, losses: LossList): object | undefined {
  const { source } = part;
  const drop = (why: string): undefined => {
    losses.add(`${path} ${part.media}`, why);
    return undefined;
  };
  if (source.kind === 'text') {
    reportFrame(part, path, losses, part.filename);
    return { type: 'text', text: source.text };
  }
  if (part.media !== 'document' && part.filename !== undefined) {
    losses.add(`${path} ${part.media} name`, 'is not supported by the format');
  }
  if (part.media !== 'image' && part.detail !== undefined) {
    losses.add(`${path} ${part.media} detail`, 'is not supported by the format');
  }
  switch (part.media) {
    case 'image':
    case 'video': {
      if (source.kind === 'file-id') return drop('cannot be given by file id');
      const url = source.kind === 'url' ? source.url : dataUrl(source.data, part.mediaType ?? sniff(source.data, part));
      if (part.media === 'video') return { type: 'video_url', video_url: { url } };
      return { type: 'image_url', image_url: { url, ...(part.detail === undefined ? {} : { detail: part.detail }) } };
    }
    case 'audio':
      if (source.kind !== 'base64') return drop('is accepted as bytes only');
      return { type: 'input_audio', input_audio: { data: source.data, format: audioFormat(part.mediaType) } };
    case 'document': {
      reportFrame(part, path, losses);
      const filename = part.filename === undefined ? {} : { filename: part.filename };
      if (source.kind === 'file-id') return { type: 'file', file: { file_id: source.id, ...filename } };
      if (source.kind === 'url') return drop('cannot be given by URL');
      const data = dataUrl(source.data, part.mediaType ?? 'application/pdf');
      return { type: 'file', file: { file_data: data, ...filename } };
    }
  }
}

/** What other formats can add to a document. */
function reportFrame(part: MediaPart, path: string, losses: LossList, filename?: string): void {
  if (filename !== undefined) losses.add(`${path} document title`, 'a document of plain text is written as text');
  if (part.context !== undefined) losses.add(`${path} document context`, 'has no field');
  if (part.citable === true) losses.addOnce('document citations', 'are not supported by the format');
}

export function dataUrl(data: string, mediaType: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** The first bytes of the usual kinds of images, as base64 spells them. */
const signatures: readonly (readonly [string, string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

function sniff(data: string, part: MediaPart): string {
  const known = signatures.find(([start]) => data.startsWith(start));
  return known?.[1] ?? (part.media === 'video' ? 'video/mp4' : 'image/png');
}

function audioFormat(mediaType: string | undefined): string {
  const kind = (mediaType ?? 'audio/wav').replace(/^audio\/(x-|vnd\.)?/, '').replace(/;.*$/, '');
  return kind === 'mpeg' ? 'mp3' : kind === 'wave' ? 'wav' : kind;
}
