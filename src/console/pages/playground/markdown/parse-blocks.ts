/** Markdown as a tree of blocks: what models write, and nothing that could run. HTML in it is text. */

import { mathLines } from './find-math.ts';

type Alignment = 'left' | 'center' | 'right' | undefined;

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly source: string }
  | { readonly type: 'rule' }
  /** `tex` is empty while it is still being written. */
  | { readonly type: 'math'; readonly tex: string; readonly source: string }
  | {
      readonly type: 'list';
      readonly start: number | undefined;
      /** The source of each, so that an item that did not change need not be read again. */
      readonly items: readonly { readonly source: string; readonly checked: boolean | undefined }[];
      readonly isLoose: boolean;
    }
  | {
      readonly type: 'table';
      readonly alignments: readonly Alignment[];
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

export const fencePattern = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;
export const itemPattern = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|\t|$)/;
const headingPattern = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const rulePattern = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const quotePattern = /^ {0,3}> ?/;
const delimiterRow = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

interface Reading {
  readonly lines: readonly string[];
  at: number;
  readonly blocks: Block[];
}

export function parseBlocks(source: string): readonly Block[] {
  const reading: Reading = { lines: source.replaceAll('\r\n', '\n').split('\n'), at: 0, blocks: [] };
  while (reading.at < reading.lines.length) takeBlock(reading);
  return reading.blocks;
}

function takeBlock(reading: Reading): void {
  const line = reading.lines[reading.at] ?? '';
  if (line.trim() === '') {
    reading.at += 1;
    return;
  }
  if (takeFence(reading, line) || takeHeading(reading, line) || takeRule(reading, line) || takeMath(reading)) return;
  if (quotePattern.test(line)) takeQuote(reading);
  else if (itemPattern.test(line)) takeList(reading, line);
  else if (isTable(reading)) takeTable(reading);
  else takeParagraph(reading);
}

function takeFence(reading: Reading, line: string): boolean {
  const [, fence, language = ''] = fencePattern.exec(line) ?? [];
  if (fence === undefined) return false;
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  const inside: string[] = [];
  reading.at += 1;
  for (; reading.at < reading.lines.length; reading.at++) {
    const next = reading.lines[reading.at] ?? '';
    if (closesFence(next, fence)) break;
    inside.push(next.replace(new RegExp(`^ {0,${indent}}`), ''));
  }
  reading.at += 1;
  const text = inside.join('\n');
  if (language === 'math') reading.blocks.push({ type: 'math', tex: text, source: text });
  else reading.blocks.push({ type: 'code', language, text });
  return true;
}

export function closesFence(line: string, fence: string): boolean {
  const bare = line.trim();
  return bare.length >= fence.length && bare === (fence[0] ?? '').repeat(bare.length);
}

function takeHeading(reading: Reading, line: string): boolean {
  const [, marks, text = ''] = headingPattern.exec(line) ?? [];
  if (marks === undefined) return false;
  reading.blocks.push({ type: 'heading', level: marks.length, text });
  reading.at += 1;
  return true;
}

function takeRule(reading: Reading, line: string): boolean {
  if (!rulePattern.test(line)) return false;
  reading.blocks.push({ type: 'rule' });
  reading.at += 1;
  return true;
}

function takeMath(reading: Reading): boolean {
  const math = mathLines(reading.lines, reading.at);
  if (math === undefined) return false;
  reading.blocks.push({ type: 'math', tex: math.tex, source: math.source });
  reading.at += math.count;
  return true;
}

function takeQuote(reading: Reading): void {
  const inside: string[] = [];
  for (; reading.at < reading.lines.length; reading.at++) {
    const line = reading.lines[reading.at] ?? '';
    if (!quotePattern.test(line)) break;
    inside.push(line.replace(quotePattern, ''));
  }
  reading.blocks.push({ type: 'quote', source: inside.join('\n') });
}

function takeList(reading: Reading, first: string): void {
  const marker = itemPattern.exec(first)?.[2] ?? '-';
  const isOrdered = /\d/.test(marker);
  const items: string[][] = [];
  let width = 0;
  let isLoose = false;
  let wasBlank = false;
  for (; reading.at < reading.lines.length; reading.at++) {
    const line = reading.lines[reading.at] ?? '';
    if (line.trim() === '') {
      wasBlank = true;
      items.at(-1)?.push('');
      continue;
    }
    const item = itemPattern.exec(line);
    const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0;
    if (item !== null && (items.length === 0 || indent < width) && /\d/.test(item[2] ?? '') === isOrdered) {
      isLoose ||= wasBlank && items.length > 0;
      width = item[0].replaceAll('\t', ' ').length;
      items.push([line.slice(item[0].length)]);
    } else if (indent >= Math.min(width, 2)) items.at(-1)?.push(unindented(line, width));
    else if (wasBlank || item !== null || startsBlock(line)) break;
    else items.at(-1)?.push(line);
    wasBlank = false;
  }
  reading.blocks.push({
    type: 'list',
    start: isOrdered ? Number.parseInt(marker, 10) : undefined,
    items: items.map((lines) => itemOf(lines.join('\n').trimEnd())),
    isLoose,
  });
}

function itemOf(source: string): { source: string; checked: boolean | undefined } {
  const box = /^\[([ xX])\]\s/.exec(source);
  if (box === null) return { source, checked: undefined };
  return { source: source.slice(box[0].length), checked: box[1] !== ' ' };
}

const unindented = (line: string, width: number) =>
  line.replace(/^\t/, '    ').replace(new RegExp(`^ {0,${width}}`), '');

const startsBlock = (line: string) =>
  fencePattern.test(line) || headingPattern.test(line) || rulePattern.test(line) || quotePattern.test(line);

function isTable({ lines, at }: Reading): boolean {
  const head = lines[at] ?? '';
  const row = lines[at + 1] ?? '';
  return (
    head.includes('|') && row.includes('-') && delimiterRow.test(row) && cellsOf(head).length === cellsOf(row).length
  );
}

function takeTable(reading: Reading): void {
  const head = cellsOf(reading.lines[reading.at] ?? '');
  const alignments = cellsOf(reading.lines[reading.at + 1] ?? '').map(alignmentOf);
  const rows: string[][] = [];
  reading.at += 2;
  for (; reading.at < reading.lines.length; reading.at++) {
    const line = reading.lines[reading.at] ?? '';
    if (line.trim() === '' || startsBlock(line)) break;
    const cells = cellsOf(line);
    rows.push(head.map((_, index) => cells[index] ?? ''));
  }
  reading.blocks.push({ type: 'table', alignments, head, rows });
}

function cellsOf(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function alignmentOf(cell: string): Alignment {
  if (cell.startsWith(':') && cell.endsWith(':')) return 'center';
  if (cell.endsWith(':')) return 'right';
  return cell.startsWith(':') ? 'left' : undefined;
}

const isMath = ({ lines, at }: Reading): boolean => mathLines(lines, at) !== undefined;

function takeParagraph(reading: Reading): void {
  const inside: string[] = [];
  for (; reading.at < reading.lines.length; reading.at++) {
    const line = reading.lines[reading.at] ?? '';
    if (line.trim() === '') break;
    if (inside.length > 0 && (startsBlock(line) || itemPattern.test(line) || isTable(reading) || isMath(reading)))
      break;
    inside.push(line.trimStart());
  }
  reading.blocks.push({ type: 'paragraph', text: inside.join('\n').trimEnd() });
}
