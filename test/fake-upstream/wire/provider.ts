/** The contract of a scripted provider of one wire format: a strict reader of requests and a faithful writer of replies. */

import type { SealPlace } from './demands.ts';
import type { Said } from './issued.ts';
import type { Json, Seen } from './seen.ts';

export interface Asked {
  readonly model: string;
  readonly stream: boolean;
}

export interface WireProvider {
  readonly kind: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini-generate';
  /** The version path, as `base_url` carries it. */
  readonly version: string;
  readonly callPrefix: string;
  readonly sealPlace: SealPlace;
  readonly takesStop: boolean;
  /** Do the calls of a reply with so many of them carry ids? */
  readonly namesCalls: (count: number) => boolean;
  /** Throws a WrongRequest where the head is not what the provider demands; undefined where the path is not its own. */
  route(path: string, headers: Headers, body: Json): Asked | undefined;
  /** Throws a WrongRequest on anything that a real provider refuses. */
  read(body: Json): Seen;
  whole(said: Said, seen: Seen, body: Json): object;
  /** The frames of a stream, in their final spelling; the last ones hold the terminal marker. */
  frames(said: Said, seen: Seen, body: Json): string[];
  errorBody(status: number, message: string): object;
  /** The event by which a stream reports that it cannot continue. */
  errorFrame(message: string): string;
}

/**
 * Not made of words: every piece of a key is removed from provider messages, and such words would be removed with it.
 */
export const providerKey = 'sk-4f81c07be2d94a6f';
