/** Writes plain values as the YAML that people would write by hand. */

import type { Tree } from '../../conversation/json-tree.ts';

/** A section with its entries; nothing where there is none. */
export function sectionText(name: string, entries: readonly (readonly [string, Tree])[]): string {
  if (entries.length === 0) return '';
  return `${name}:\n${entries.map(([key, tree]) => `  ${scalar(key)}:${valueText(tree, 4)}`).join('')}`;
}

/** One key with its value. */
export const fieldText = (name: string, value: unknown): string => `${scalar(name)}:${valueText(value, 2)}`;

/** What follows a colon, with its line break. */
function valueText(value: unknown, indent: number): string {
  if (Array.isArray(value)) return listText(value, indent);
  if (typeof value !== 'object' || value === null) return ` ${scalar(value)}\n`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return ' {}\n';
  const spaces = ' '.repeat(indent);
  return `\n${fields.map(([key, field]) => `${spaces}${scalar(key)}:${valueText(field, indent + 2)}`).join('')}`;
}

function listText(items: readonly unknown[], indent: number): string {
  if (items.length === 0) return ' []\n';
  const spaces = ' '.repeat(indent);
  // The first field of a map follows the dash on its line.
  const itemText = (item: unknown): string => `${spaces}- ${valueText(item, indent + 2).replace(/^\n? +/, '')}`;
  return `\n${items.map(itemText).join('')}`;
}

/** Without quotes only if every YAML reader takes it as a string. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain = /^[A-Za-z_][\w./-]*$/.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
