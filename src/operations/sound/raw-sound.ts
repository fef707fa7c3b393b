/** What providers that answer with sound itself have in common: the body is the reply, and nothing in it says what it used. */

import type { Consumption } from '../consumption.ts';
import type { SpeakReply, SpeakRequest } from '../speak.ts';
import { speechMediaTypes } from '../speak.ts';
import type { WireReply } from '../wire.ts';

/** Some servers do not know the type of what they send. */
export function isSound(contentType: string): boolean {
  return /^\s*(audio\/|application\/(octet-stream|ogg)\b)/i.test(contentType);
}

export function readSound({ contentType, bytes }: WireReply, request: SpeakRequest): SpeakReply {
  if (!isSound(contentType)) throw new SyntaxError(`the reply is no sound but ${contentType || 'of no type'}`);
  return {
    mediaType: speechMediaTypes[request.format],
    bytes: new Uint8Array(bytes),
    consumption: spoken(request),
  };
}

/** Speech is billed by what was to be said, where the provider says nothing else. */
export function spoken({ input }: SpeakRequest): Consumption {
  return { characters: charactersOf(input) };
}

/** One for each code point, as those count who bill by the character. */
export function charactersOf(text: string): number {
  let characters = 0;
  for (const _character of text) characters += 1;
  return characters;
}
