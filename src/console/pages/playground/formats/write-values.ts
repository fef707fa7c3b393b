/** The pieces of a request that several formats write alike. */

import type { Attachment } from '../conversation/conversation.ts';
import type { WireRequest } from '../playground-contract.ts';

export function jsonRequest(path: string, value: object): WireRequest {
  return { method: 'POST', path, body: { kind: 'json', value } };
}

export const dataUrl = ({ mediaType, base64 }: Attachment): string => `data:${mediaType};base64,${base64}`;

/** The text inside a file that is text, for formats that take it as such. */
export function decodedText({ base64 }: Attachment): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
}

/** Arguments as a value, for formats that want one; what the model wrote wrongly becomes nothing. */
export function argumentsValue(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
