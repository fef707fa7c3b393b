/** Writes media, calls and answers: the parts that requests and replies spell alike. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import type { MediaPart, TextPart, ToolCallPart, ToolResultPart } from '../../../conversation/parts.ts';
import { ArgumentTexts } from '../../../conversation/texts/argument-texts.ts';
import { formatName } from '../wire.ts';

/** How the bytes of a file begin, as base64 spells it. */
const beginnings: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
  ['T2dnUw', 'audio/ogg'],
];

const extensions: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
]);

/** Undefined where the format cannot hold the file; that and the fields beside its bytes are reported. */
export function writeMedia(part: MediaPart, place: string, losses: LossList): Tree | undefined {
  const what = `${place} ${part.media}`;
  if (part.filename !== undefined) losses.add(`${what} filename`, 'the format has no field for it');
  if (part.context !== undefined) losses.add(`${what} context`, 'the format has no field for it');
  if (part.citable === true) losses.add(`${what} citations`, 'the format does not cite documents on request');
  const { source } = part;
  switch (source.kind) {
    case 'base64':
      return {
        inlineData: {
          mimeType: part.mediaType ?? typeOfBytes(source.data, part.media, what, losses),
          data: source.data,
        },
      };
    case 'text':
      return {
        inlineData: {
          mimeType: part.mediaType ?? 'text/plain',
          data: Buffer.from(source.text).toString('base64'),
        },
      };
    case 'url':
      return { fileData: writeAddress(source.url, part.mediaType, what, losses) };
    case 'file-id':
      if (source.id.startsWith('files/')) return { fileData: { fileUri: source.id } };
      losses.add(what, 'is stored at another provider, by an id that means nothing here');
      return undefined;
  }
}

function typeOfBytes(data: string, media: MediaPart['media'], what: string, losses: LossList): string {
  // The beginning of a container that images and recordings share.
  if (media === 'audio' && data.startsWith('UklGR')) return 'audio/wav';
  const known = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
  if (known !== undefined) return known;
  losses.add(`${what} media type`, 'is not known and the format demands one');
  return 'application/octet-stream';
}

/**
 * The URL is sent as it is: the provider fetches it. Its media type may be left out, so a guess is made only where the
 * name tells.
 */
function writeAddress(url: string, mediaType: string | undefined, what: string, losses: LossList): Tree {
  if (mediaType !== undefined) return { mimeType: mediaType, fileUri: url };
  const name = url.split(/[?#]/, 1)[0] ?? '';
  const guessed = extensions.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
  if (guessed === undefined) return { fileUri: url };
  losses.add(`${what} media type`, 'was guessed from the name of the file');
  return { mimeType: guessed, fileUri: url };
}

/** The format holds arguments as an object; any other text is kept whole under a name of its own and reported. */
export function parsedArguments(
  call: Pick<ToolCallPart, 'name' | 'arguments'>,
  place: string,
  losses: LossList,
  texts = new ArgumentTexts(),
): Tree {
  if (call.arguments.trim() === '') return {};
  try {
    const args = texts.parse(call.arguments);
    if (isObject(args)) return args;
  } catch {
    // Reported below: a model that wrote broken JSON must not make the conversation unusable.
  }
  losses.add(
    `${place} call of ${call.name}`,
    'its arguments are not a JSON object, or hold too many values; they are written as `input`',
  );
  return { input: call.arguments };
}

export function writeAnswer(part: ToolResultPart, name: string, place: string, losses: LossList): Tree {
  const texts: TextPart[] = [];
  const media: Tree[] = [];
  for (const inner of part.parts) {
    if (inner.type === 'text') texts.push(inner);
    else if (inner.type === 'media') {
      const written = writeMedia(inner, `${place} result`, losses);
      if (written !== undefined) media.push(written);
    } else if (inner.format === formatName && isObject(inner.value)) media.push(inner.value);
    else losses.add(`${place} result`, `a part is supported by ${inner.format} only`);
  }
  return {
    id: part.callId,
    name,
    response: { [part.failed ? 'error' : 'output']: writeTexts(texts) },
    ...(media.length > 0 && { parts: media }),
  };
}

/** Several texts stay several, as the blocks in which tool servers list them. */
function writeTexts(texts: readonly TextPart[]): unknown {
  if (texts.length > 1) return texts.map(({ text }) => ({ type: 'text', text }));
  return texts[0]?.text ?? '';
}
