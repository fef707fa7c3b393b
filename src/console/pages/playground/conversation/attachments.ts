/** Files that go along with a message: read in this browser, sent in the format's own parts. */

import type { Attachment } from './conversation.ts';

export const attachmentBytesMax = 20 * 1024 * 1024;

export async function readAttachment(file: File, newId: () => string): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return {
    id: newId(),
    name: file.name || 'file',
    mediaType: mediaTypeOf(file),
    sizeBytes: bytes.length,
    base64: base64Of(bytes),
  };
}

/** Browsers know few types of text by their ending; code and notes are texts all the same. */
export function mediaTypeOf({ type, name }: { readonly type: string; readonly name: string }): string {
  if (type !== '') return type;
  return /\.(txt|md|csv|json|ya?ml|toml|xml|html?|css|tsx?|jsx?|py|rs|go|java|c|h|cpp|rb|sh|sql|log)$/i.test(name)
    ? 'text/plain'
    : 'application/octet-stream';
}

/** Larger pieces would be more arguments than a function takes. */
const pieceBytes = 0x8000;

export function base64Of(bytes: Uint8Array): string {
  let letters = '';
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    letters += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  }
  return btoa(letters);
}

/** What the picker offers, by what the model says it takes; a model that says nothing may take anything. */
export function acceptedTypes(modalities: readonly string[]): string {
  if (modalities.length === 0 || modalities.includes('file')) return '';
  const types = modalities.flatMap((modality) => (/^(image|audio|video)$/.test(modality) ? [`${modality}/*`] : []));
  return types.join(',');
}

/** A model for texts alone takes no files at all. */
export function takesFiles(modalities: readonly string[]): boolean {
  return modalities.length === 0 || modalities.some((modality) => modality !== 'text');
}
