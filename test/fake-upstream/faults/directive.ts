/**
 * What each of several scripted targets does with a request, in a text that survives every wire format
 * and every translation.
 */

/** Faults that a target plays; a target without an instruction serves. */
export const playedFaults = [
  'rate',
  'rate-until',
  'status-400',
  'status-401',
  'status-500',
  'status-503',
  'status-529',
  'slow-head',
  'stall-early',
  'overloaded-first',
  'failure-first',
  'html',
  'empty',
  'cut-early',
  'cut-late',
  'end-late',
  'reset-late',
  'garbled-late',
  'stall-late',
  'gzip',
  'wrong-type',
  'after-end',
] as const;

export type PlayedFault = (typeof playedFaults)[number];

export interface Directive {
  readonly nonce: string;
  /** By the target's name. */
  readonly faults: Readonly<Record<string, PlayedFault>>;
  /** How long a target works before its head. */
  readonly workMs?: number;
  /** Faults are played the first time only: a second request with the same text is served. */
  readonly firstOnly?: boolean;
  /** What `rate-until` asks for. */
  readonly retryAfterSeconds?: number;
}

const written = /\[\[play:([\w-]+)\]\]/;

/** For any message. Nothing in it needs an escape in JSON or in a URL. */
export function directiveText(directive: Directive): string {
  return `[[play:${Buffer.from(JSON.stringify(directive)).toString('base64url')}]]`;
}

/** From a request's raw body. */
export function directiveIn(body: string): Directive | undefined {
  const found = written.exec(body)?.[1];
  return found === undefined ? undefined : (JSON.parse(Buffer.from(found, 'base64url').toString('utf8')) as Directive);
}

const pieces = 5;

/** The words of one target for one request; no other reply has them. */
export function piecesOf(nonce: string, target: string): readonly string[] {
  return Array.from({ length: pieces }, (_, index) => `${nonce}@${target}.${index} `);
}

export function textOf(nonce: string, target: string): string {
  return piecesOf(nonce, target).join('');
}
