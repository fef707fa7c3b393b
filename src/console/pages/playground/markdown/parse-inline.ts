/** Words inside a line: emphasis, code, formulas, links. Everything else is text, and HTML is nothing but text. Linear in its input, whatever that is. */

import { escapedBrackets, mathAt } from './find-math.ts';

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'break' }
  /** `source` is the formula with its marks, as it was written. */
  | { readonly type: 'math'; readonly tex: string; readonly source: string; readonly isDisplay: boolean }
  | { readonly type: 'strong' | 'emphasis' | 'strike'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly Inline[] };

/** A bracket whose end is farther away is no link; looking on for each would take quadratic time. */
const linkCharactersMax = 2_000;
/** Deeper nesting says nothing to a reader and costs whoever looks for its end. */
const depthMax = 12;

/** Emphasis that was begun; what follows is inside until it is closed, or was no emphasis after all. */
interface Open {
  readonly mark: string;
  readonly children: Inline[];
}

interface Scan {
  readonly text: string;
  at: number;
  readonly open: Open[];
  /** Runs of backticks of which no second one follows. */
  readonly lonelyTicks: Set<number>;
  /** After an escaped bracket: the escaped one that closes it. */
  closingBracket: string | undefined;
}

export function parseInline(text: string, isInsideLink = false): readonly Inline[] {
  const scan: Scan = {
    text,
    at: 0,
    open: [{ mark: '', children: [] }],
    lonelyTicks: new Set(),
    closingBracket: undefined,
  };
  while (scan.at < text.length) step(scan, isInsideLink);
  while (scan.open.length > 1) abandon(scan.open);
  return scan.open[0]?.children ?? [];
}

const plainRun = /[^\\`*_~[!\nh<$]+/y;
const lineEnd = /(?: {2,}|\\)?\n[ \t]*/y;

function step(scan: Scan, isInsideLink: boolean): void {
  const { text, at } = scan;
  const run = matchAt(plainRun, text, at);
  if (run !== undefined) {
    const rest = text.slice(at + run.length, at + run.length + 1);
    // Spaces before a line's end belong to it.
    const kept = rest === '\n' ? run.replace(/ +$/, '') : run;
    if (kept !== '') addText(scan, kept);
    scan.at += kept.length;
    if (kept === run) return;
  }
  if (takeBreak(scan) || takeMath(scan) || takeEscape(scan) || takeCode(scan) || takeEmphasis(scan)) return;
  if (!isInsideLink && (takeLink(scan) || takeAddress(scan))) return;
  addText(scan, text[scan.at] ?? '');
  scan.at += 1;
}

function takeBreak(scan: Scan): boolean {
  const end = matchAt(lineEnd, scan.text, scan.at);
  if (end === undefined) return false;
  if (/^(?: {2}|\\)/.test(end)) add(scan, { type: 'break' });
  else addText(scan, '\n');
  scan.at += end.length;
  return true;
}

function takeMath(scan: Scan): boolean {
  const found = mathAt(scan.text, scan.at);
  if (found === undefined) return false;
  const { end, ...math } = found;
  add(scan, { type: 'math', ...math });
  scan.at = end;
  return true;
}

/**
 * What has a meaning in Markdown loses it after a backslash. Everything else is no escape, such as the `\\,` of a
 * formula without its marks; neither are brackets of which a formula could have begun.
 */
const escapable = /\\[\\`*_{}#+\-.!|~<>$]/y;

function takeEscape(scan: Scan): boolean {
  const escaped = matchAt(escapable, scan.text, scan.at) ?? takeBrackets(scan);
  if (escaped === undefined) return false;
  addText(scan, escaped.slice(1));
  scan.at += escaped.length;
  return true;
}

/** The opening one remembers that the closing one is of its kind. */
function takeBrackets(scan: Scan): string | undefined {
  const { text, at } = scan;
  const bracket = text.slice(at, at + 2);
  if (escapedBrackets(text, at)) scan.closingBracket = bracket === '\\[' ? '\\]' : '\\)';
  else if (bracket === '' || bracket !== scan.closingBracket) return undefined;
  else scan.closingBracket = undefined;
  return bracket;
}

function takeCode(scan: Scan): boolean {
  const ticks = matchAt(/`+/y, scan.text, scan.at);
  if (ticks === undefined) return false;
  const from = scan.at + ticks.length;
  const end = scan.lonelyTicks.has(ticks.length) ? -1 : closingTicks(scan.text, from, ticks.length);
  if (end === -1) {
    scan.lonelyTicks.add(ticks.length);
    addText(scan, ticks);
    scan.at = from;
    return true;
  }
  const inside = scan.text.slice(from, end).replaceAll('\n', ' ');
  add(scan, { type: 'code', text: /^ .* $/.test(inside) && inside.trim() !== '' ? inside.slice(1, -1) : inside });
  scan.at = end + ticks.length;
  return true;
}

function closingTicks(text: string, from: number, count: number): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) if (run[0].length === count) return run.index;
  return -1;
}

const kinds: Readonly<Record<string, 'strong' | 'emphasis' | 'strike'>> = {
  '**': 'strong',
  __: 'strong',
  '*': 'emphasis',
  _: 'emphasis',
  '~~': 'strike',
};

function takeEmphasis(scan: Scan): boolean {
  const run = matchAt(/\*+|_+|~~/y, scan.text, scan.at);
  if (run === undefined) return false;
  const before = scan.text[scan.at - 1] ?? ' ';
  const after = scan.text[scan.at + run.length] ?? ' ';
  scan.at += run.length;
  const letter = run[0] ?? '';
  // An underscore inside a word is part of a name.
  const isInsideName = letter === '_' && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  let left = run.length;
  if (!isInsideName && !/\s/.test(before)) left = close(scan, letter, left);
  if (left === 0) return true;
  const opens = !isInsideName && !/\s/.test(after) && scan.open.length < depthMax && left <= 3;
  if (!opens) addText(scan, letter.repeat(left));
  else for (const size of left === 3 ? [2, 1] : [left]) scan.open.push({ mark: letter.repeat(size), children: [] });
  return true;
}

/** Closes what was begun with the same letter, innermost first; returns how much of the run is left. */
function close(scan: Scan, letter: string, count: number): number {
  let left = count;
  for (;;) {
    const index = scan.open.findLastIndex(({ mark }) => mark.startsWith(letter) && mark !== '' && mark.length <= left);
    if (index < 1) return left;
    while (scan.open.length - 1 > index) abandon(scan.open);
    const closed = scan.open.pop();
    const kind = kinds[closed?.mark ?? ''];
    if (closed === undefined || kind === undefined) return left;
    add(scan, { type: kind, children: closed.children });
    left -= closed.mark.length;
    if (left === 0) return 0;
  }
}

/** It was no emphasis: the mark is text, and so it goes on outside. */
function abandon(open: Open[]): void {
  const inner = open.pop();
  const outer = open.at(-1);
  if (inner === undefined || outer === undefined) return;
  pushText(outer.children, inner.mark);
  for (const child of inner.children) {
    if (child.type === 'text') pushText(outer.children, child.text);
    else outer.children.push(child);
  }
}

const bracketed =
  /!?\[((?:[^[\]\\\n]|\\.|\[[^[\]\n]*\]){0,1000})\]\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+["'(][^"')\n]*["')])?\s*\)/y;

/** A picture becomes a link to itself: loading it would tell a stranger that someone reads this. */
function takeLink(scan: Scan): boolean {
  const start = scan.text[scan.at];
  if (start !== '[' && start !== '!') return false;
  bracketed.lastIndex = 0;
  const found = bracketed.exec(scan.text.slice(scan.at, scan.at + linkCharactersMax));
  if (found === null || found.index !== 0) return false;
  const [whole, words = '', target = ''] = found;
  const href = safeAddress(target);
  const children = parseInline(words === '' ? target : words, true);
  if (href === undefined) for (const child of children) add(scan, child);
  else add(scan, { type: 'link', href, children });
  scan.at += whole.length;
  return true;
}

const bareAddress = /<?(https?:\/\/[^\s<>"'`]{1,2000})>?/y;

function takeAddress(scan: Scan): boolean {
  const found = matchAt(bareAddress, scan.text, scan.at);
  if (found === undefined || (found.startsWith('h') && /[\p{L}\p{N}]/u.test(scan.text[scan.at - 1] ?? ' ')))
    return false;
  const inside = found.replace(/^<|>$/g, '');
  // What ends a sentence does not belong to the address in it.
  const shown = found.startsWith('<') ? inside : inside.replace(/[.,;:!?*_~)\]]+$/, '');
  const href = safeAddress(shown);
  if (href === undefined) return false;
  add(scan, { type: 'link', href, children: [{ type: 'text', text: shown }] });
  scan.at += found.startsWith('<') ? found.length : shown.length;
  return true;
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** The address as the browser would understand it, where that is harmless to follow. */
export function safeAddress(address: string): string | undefined {
  if (!/^[a-z]+:/i.test(address)) return undefined;
  try {
    const url = new URL(address);
    return schemes.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function add({ open }: Scan, inline: Inline): void {
  open.at(-1)?.children.push(inline);
}

function addText({ open }: Scan, text: string): void {
  const children = open.at(-1)?.children;
  if (children !== undefined) pushText(children, text);
}

function pushText(children: Inline[], text: string): void {
  const last = children.at(-1);
  if (last?.type === 'text') children[children.length - 1] = { type: 'text', text: last.text + text };
  else if (text !== '') children.push({ type: 'text', text });
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
