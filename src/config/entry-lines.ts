/** Finds the line on which the file has each provider, alias and price, and each mistake, since the YAML parser does not report it. */

import type { Problem } from './problem.ts';

const sections = ['providers', 'models', 'prices'];
const keyLine = /^(?<spaces> *)(?:"(?<double>[^"]+)"|'(?<single>[^']+)'|(?<plain>[^\s#'"{[-][^\s#]*?)):(?:\s|$)/;

/** By `section.name`, from 1. What is written inside braces has no line of its own and is absent. */
export function entryLines(text: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  let section: string | undefined;
  /** How far the section's entries are indented: as far as its first. */
  let indent: number | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const parts = keyLine.exec(line)?.groups;
    if (parts === undefined) continue;
    const key = parts['double'] ?? parts['single'] ?? parts['plain'] ?? '';
    const depth = parts['spaces']?.length ?? 0;
    if (depth === 0) {
      section = sections.find((name) => name === key);
      indent = undefined;
    } else if (section !== undefined) {
      indent ??= depth;
      if (depth === indent) found[`${section}.${key}`] = index + 1;
    }
  }
  return found;
}

/** Mistakes in this file with their lines, where they are known. */
export function withLines(problems: readonly Problem[], text: string, source: string): readonly Problem[] {
  if (problems.length === 0) return problems;
  const lines = keyLines(text);
  return problems.map((problem) => {
    const line = problem.source === source ? lineOf(problem.key, lines) : undefined;
    return line === undefined ? problem : { line, ...problem };
  });
}

/** The line of the nearest enclosing key that has one: keys in braces have none. */
function lineOf(key: string, lines: ReadonlyMap<string, number>): number | undefined {
  for (let end = key.length; end > 0; end = key.lastIndexOf('.', end - 1)) {
    const line = lines.get(key.slice(0, end).replace(/\[\d+\]$/, ''));
    if (line !== undefined) return line;
  }
  return undefined;
}

/** The line of every key, by its path as messages write it. What is written inside braces or lists has none. */
function keyLines(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const open: { readonly depth: number; readonly path: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const parts = keyLine.exec(line)?.groups;
    if (parts === undefined) continue;
    const key = parts['double'] ?? parts['single'] ?? parts['plain'] ?? '';
    const depth = parts['spaces']?.length ?? 0;
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const around = open.at(-1);
    const path = around === undefined ? key : `${around.path}.${key}`;
    open.push({ depth, path });
    if (!found.has(path)) found.set(path, index + 1);
  }
  return found;
}
