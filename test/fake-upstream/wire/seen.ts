/** What a strict provider saw in a request, in one shape for all wire formats, so that a scene's demands are written once. */

export type SeenItem =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url?: string; readonly data?: string; readonly mediaType?: string | undefined }
  | { readonly kind: 'thinking'; readonly text: string; readonly seal: string | undefined }
  | {
      readonly kind: 'call';
      readonly id: string | undefined;
      readonly name: string;
      readonly input: unknown;
      readonly seal?: string | undefined;
    }
  | { readonly kind: 'result'; readonly id: string | undefined; readonly name?: string; readonly text: string };

export interface SeenTurn {
  readonly role: 'user' | 'assistant';
  readonly items: SeenItem[];
}

export interface SeenTool {
  readonly name: string;
  readonly description: unknown;
  readonly schema: Json;
}

export interface Seen {
  readonly system: readonly string[];
  readonly turns: readonly SeenTurn[];
  readonly tools: readonly SeenTool[];
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly schema: Json | undefined;
  /** Thinking was requested, and its text or a summary of it. */
  readonly thinks: boolean;
  readonly showsThoughts: boolean;
  /** The opaque form of the thoughts is wanted in the reply. */
  readonly wantsSeals: boolean;
  readonly maxTokens: unknown;
  readonly temperature: unknown;
  readonly stop: readonly string[];
  readonly wantsUsage: boolean;
}

export type Json = Readonly<Record<string, unknown>>;

/** The request is not what a real provider would take; the message says precisely why. */
export class WrongRequest extends Error {}

export function must(condition: unknown, why: string): asserts condition {
  if (condition !== true && !condition) throw new WrongRequest(why);
}

export function object(value: unknown, place: string): Json {
  must(typeof value === 'object' && value !== null && !Array.isArray(value), `${place}: an object is expected`);
  return value as Json;
}

export function list(value: unknown, place: string): readonly unknown[] {
  must(Array.isArray(value), `${place}: a list is expected, not ${shown(value)}`);
  return value;
}

export function text(value: unknown, place: string): string {
  must(typeof value === 'string', `${place}: a string is expected, not ${shown(value)}`);
  return value;
}

export function filled(value: unknown, place: string): string {
  const said = text(value, place);
  must(said.trim() !== '', `${place}: must not be blank`);
  return said;
}

export function knownFields(value: Json, known: readonly string[], place: string): void {
  for (const name of Object.keys(value)) must(known.includes(name), `${place}: unrecognized field ${name}`);
}

export function oneOf(value: unknown, allowed: readonly unknown[], place: string): void {
  must(allowed.includes(value), `${place}: ${shown(value)} is none of ${allowed.join(', ')}`);
}

export function base64(value: unknown, place: string): string {
  const said = filled(value, place);
  must(/^[A-Za-z0-9+/]+={0,2}$/.test(said) && said.length % 4 === 0, `${place}: is not base64`);
  return said;
}

export function parsed(value: unknown, place: string): unknown {
  try {
    return JSON.parse(text(value, place));
  } catch {
    throw new WrongRequest(`${place}: is not JSON: ${shown(value)}`);
  }
}

export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}

/** The parts of a data URL, or the URL itself. */
export function imageAt(url: string): SeenItem {
  const match = /^data:([\w/+.-]+);base64,(.*)$/s.exec(url);
  if (match === null) {
    must(/^https?:\/\//.test(url), `image address: ${url.slice(0, 60)}`);
    return { kind: 'image', url };
  }
  return { kind: 'image', mediaType: match[1], data: base64(match[2], 'image data') };
}
