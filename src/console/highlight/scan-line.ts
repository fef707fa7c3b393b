/** One line of code as pieces with their kinds. What is left open at its end, such as a comment, is known to the next line. */

import type { Language, TextMark } from './languages.ts';

export type PieceKind = 'plain' | 'comment' | 'text' | 'number' | 'keyword' | 'name' | 'added' | 'removed';

export interface Piece {
  readonly kind: PieceKind;
  readonly text: string;
}

/** What is open where a line begins: the mark that ends it. */
export interface OpenMark {
  readonly kind: 'comment' | 'text';
  readonly close: string;
  readonly isRaw: boolean;
}

interface ScannedLine {
  /** Together they are the line, letter by letter. */
  readonly pieces: readonly Piece[];
  readonly open: OpenMark | undefined;
}

/** A line that is longer is data that nobody reads. */
const lineCharactersMax = 5_000;

interface Scan {
  readonly line: string;
  readonly language: Language;
  at: number;
  readonly pieces: Piece[];
  open: OpenMark | undefined;
}

export function scanLine(line: string, language: Language, open?: OpenMark): ScannedLine {
  if (line.length > lineCharactersMax) return { pieces: [{ kind: 'plain', text: line }], open };
  const whole = open === undefined ? language.lines?.find(({ pattern }) => pattern.test(line)) : undefined;
  if (whole !== undefined) return { pieces: [{ kind: whole.kind, text: line }], open };
  const scan: Scan = { line, language, at: 0, pieces: [], open };
  if (open !== undefined) takeOpen(scan, open, 0);
  while (scan.at < line.length) step(scan);
  return { pieces: scan.pieces, open: scan.open };
}

function step(scan: Scan): void {
  if (takeComment(scan) || takeName(scan) || takeText(scan) || takeNumber(scan) || takeWord(scan)) return;
  add(scan, 'plain', scan.line[scan.at] ?? '');
}

/** Adjacent pieces of a kind are one. */
function add(scan: Scan, kind: PieceKind, text: string): void {
  scan.at += text.length;
  const last = scan.pieces.at(-1);
  if (last?.kind === kind) scan.pieces[scan.pieces.length - 1] = { kind, text: last.text + text };
  else if (text !== '') scan.pieces.push({ kind, text });
}

/** From `scan.at` to its end, or to the end of the line, where it stays open. */
function takeOpen(scan: Scan, open: OpenMark, markLength: number): void {
  const end = endOf(scan.line, scan.at + markLength, open);
  scan.open = end === -1 ? open : undefined;
  add(scan, open.kind, scan.line.slice(scan.at, end === -1 ? undefined : end));
}

/** The place after the mark that ends it, or -1. */
function endOf(line: string, from: number, { close, isRaw }: OpenMark): number {
  for (let at = from; at < line.length; at++) {
    if (line.startsWith(close, at)) return at + close.length;
    if (!isRaw && line[at] === '\\') at += 1;
  }
  return -1;
}

function takeComment(scan: Scan): boolean {
  const { line, at, language } = scan;
  const [open, close] = language.blockComment ?? [];
  if (open !== undefined && close !== undefined && line.startsWith(open, at)) {
    takeOpen(scan, { kind: 'comment', close, isRaw: true }, open.length);
    return true;
  }
  const isPlace = language.commentNeedsSpace !== true || at === 0 || /\s/.test(line[at - 1] ?? '');
  if (!isPlace || language.lineComments?.some((mark) => line.startsWith(mark, at)) !== true) return false;
  add(scan, 'comment', line.slice(at));
  return true;
}

function takeText(scan: Scan): boolean {
  const { line, at, language } = scan;
  const mark = language.texts.find(({ open }) => line.startsWith(open, at)) ?? attributeText(scan);
  if (mark === undefined) return false;
  const open: OpenMark = { kind: 'text', close: mark.close, isRaw: mark.isRaw === true };
  // An apostrophe is not the beginning of a text that never ends.
  if (mark.isLong !== true && endOf(line, at + mark.open.length, open) === -1) return false;
  takeOpen(scan, open, mark.open.length);
  return true;
}

/** In markup a quote begins a text only behind the name of an attribute: elsewhere it is part of a sentence. */
function attributeText({ line, at, language }: Scan): TextMark | undefined {
  const quote = line[at] ?? '';
  const isAttribute = language.texts.length === 0 && line[at - 1] === '=' && /["']/.test(quote);
  return isAttribute ? { open: quote, close: quote, isRaw: true } : undefined;
}

function takeName(scan: Scan): boolean {
  const { language } = scan;
  if (language.names === undefined || isInWord(scan)) return false;
  return takeMatch(scan, language.names, 'name');
}

const numberPattern =
  /(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)(?:px|r?em|%|[a-z]\w{0,3})?/y;
const wordPattern = /[\p{L}_$][\p{L}\p{N}_$]*/uy;

/** Where there are no keywords there are sentences, and their numbers mean nothing. */
function takeNumber(scan: Scan): boolean {
  return scan.language.keywords.size > 0 && !isInWord(scan) && takeMatch(scan, numberPattern, 'number');
}

function takeWord(scan: Scan): boolean {
  wordPattern.lastIndex = scan.at;
  const word = wordPattern.exec(scan.line)?.[0];
  if (word === undefined) return false;
  const { keywords, ignoresCase } = scan.language;
  add(scan, keywords.has(ignoresCase === true ? word.toLowerCase() : word) ? 'keyword' : 'plain', word);
  return true;
}

function takeMatch(scan: Scan, pattern: RegExp, kind: PieceKind): boolean {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.line)?.[0];
  if (found === undefined || found === '') return false;
  add(scan, kind, found);
  return true;
}

const isInWord = ({ line, at }: Scan): boolean => /[\p{L}\p{N}_$]/u.test(line[at - 1] ?? '');
