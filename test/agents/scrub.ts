/**
 * Makes recorded requests fit to be kept: the structure, the names of tools and the question stay; prose becomes filler of the same
 * kind, and what identifies a machine, a person or a time is replaced.
 */

import { hostname, userInfo } from 'node:os';
import { question } from './programs.ts';
import type { RecordedRequest } from './recorder.ts';

/** A text with spaces that is longer is prose. */
const proseLengthMin = 20;
/** By its key: characters of prose that are kept between two tags. */
const lengthMax = { tool: 240, property: 48, text: 2_400 } as const;

export function scrubbed(requests: readonly RecordedRequest[]): RecordedRequest[] {
  return requests.map(({ path, body }) => {
    const kept = new Set<string>();
    collectToolNames(body, kept);
    return { path: plain(path), body: scrub(body, 'text', kept) };
  });
}

type Place = keyof typeof lengthMax;

/** Words that made the sandbox call a tool appear in reminders and manuals as names of tools: those must survive. */
function collectToolNames(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) collectToolNames(one, into);
  else if (typeof value === 'object' && value !== null) {
    const { name, description } = value as { name?: unknown; description?: unknown };
    if (typeof name === 'string' && typeof description === 'string') into.add(name);
    for (const one of Object.values(value)) collectToolNames(one, into);
  }
}

function scrub(value: unknown, place: Place, kept: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return scrubText(value, place, kept);
  if (Array.isArray(value)) return value.map((one) => scrub(one, place, kept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [plain(key), scrub(inner, placeOf(key, place), kept)]),
  );
}

function placeOf(key: string, outer: Place): Place {
  if (key === 'tools') return 'tool';
  return outer !== 'text' && /^(?:properties|parameters|input_schema|parametersJsonSchema)$/.test(key)
    ? 'property'
    : outer;
}

function scrubText(text: string, place: Place, kept: ReadonlySet<string>): string {
  if (text.length < proseLengthMin || !/\s/.test(text) || isJson(text)) return plain(text);
  return text
    .split(question)
    .map((piece) => filler(piece, lengthMax[place], kept))
    .join(question);
}

function isJson(text: string): boolean {
  return /^\{"/.test(text);
}

const fillerWords = ['a', 'of', 'and', 'text', 'words', 'filler', 'between', 'sentence'] as const;

/** Tags, line ends, punctuation and kept words stay; other words become filler, and after so many characters nothing until the next tag. */
function filler(text: string, charactersMax: number, kept: ReadonlySet<string>): string {
  let written = '';
  let sinceTag = 0;
  for (const [piece] of text.matchAll(/<\/?[A-Za-z][\w-]*[^<>\n]{0,200}>|[\p{L}_][\p{L}\w-]*|\d+|\n+|[^\S\n]+|./gu)) {
    const tag = /^<\/?[A-Za-z][\w-]*/.exec(piece);
    if (tag !== null) {
      written += `${tag[0]}>`;
      sinceTag = 0;
      continue;
    }
    if (sinceTag >= charactersMax) continue;
    const next = fillerFor(piece, kept);
    written += next;
    sinceTag += next.length;
  }
  return written;
}

function fillerFor(piece: string, kept: ReadonlySet<string>): string {
  if (kept.has(piece)) return piece;
  if (/^[\p{L}_]/u.test(piece)) return fillerWords[Math.min(piece.length, fillerWords.length) - 1] ?? 'a';
  if (/^\d/.test(piece)) return '0';
  // Paths, URLs and formulas are recognized by their special characters; sentences have few.
  return /^[\s.,:;!?()'"`-]+$/.test(piece) ? piece.replace(/\n{2,}/, '\n\n') : '';
}

/** Replaces what an id, a path, a day, a host or a user's name looks like. */
function plain(text: string): string {
  const names = [hostname(), userInfo().username].filter((name) => name.length > 2 && name !== 'root');
  return names
    .reduce((rest, name) => rest.replaceAll(name, 'somebody'), text)
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '00000000-0000-4000-8000-000000000000')
    .replace(/\b[\da-f]{16,}\b/gi, (hex) => '0'.repeat(hex.length))
    .replace(/\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?/g, '2030-01-01')
    .replace(/\b1[6-9]\d{8}(\d{3})?\b/g, (_, ms: string | undefined) => `1900000000${ms === undefined ? '' : '000'}`)
    .replace(/\/(?:tmp|home|root|work|usr|var)\/[^\s"'<>]*/g, '/home/user/project');
}
