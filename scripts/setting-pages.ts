/** Writes the table of docs/configuration.md and the settings of weir.example.yaml from the rows, so that no row is typed twice. */

import { type SettingEntry, settingList } from '../src/settings/settings.ts';

export const tableFile = 'docs/configuration.md';
export const exampleFile = 'weir.example.yaml';

const tableHead = '| key | variable | default | unit | meaning |';
const exampleMark = '# --- `npm run docs:settings` writes everything below this line. ---';
const widthMax = 120;

const code = (text: string) => `\`${text}\``;

function shownDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  return code(String(value));
}

function tableRow(row: SettingEntry): string {
  const key = row.variableOnly === true ? '–' : code(row.key);
  return `| ${key} | ${code(row.variable)} | ${shownDefault(row.default)} | ${row.unit || '–'} | ${row.meaning} |`;
}

/** The page with the current rows in its table of settings. */
export function withSettingTable(page: string): string {
  const lines = page.split('\n');
  const start = lines.indexOf(tableHead) + 2;
  if (start === 1) throw new Error(`${tableFile} has no line "${tableHead}".`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  return lines.toSpliced(start, length, ...settingList.map(tableRow)).join('\n');
}

/** The example with the lines below its marker written from the rows. */
export function withExampleSettings(example: string): string {
  const end = example.indexOf(exampleMark);
  if (end === -1) throw new Error(`${exampleFile} has no line "${exampleMark}".`);
  const rows = settingList.filter((row) => row.variableOnly !== true);
  const groups = Map.groupBy(rows, ({ key }) => (key.includes('.') ? key.slice(0, key.indexOf('.')) : ''));
  const sections = [...groups].map(([name, inside]) => exampleSection(name, inside));
  return `${example.slice(0, end)}${exampleMark}\n\n${sections.join('\n\n')}\n`;
}

/** Everything is commented out, so that a copy of the file changes nothing; without the first two signs it is YAML. */
function exampleSection(name: string, rows: readonly SettingEntry[]): string {
  const indent = name === '' ? '# ' : '#   ';
  const entries = rows.flatMap((row) => [
    ...wrapped(row.meaning, `${indent}# `),
    `${indent}${row.key.slice(row.key.indexOf('.') + 1)}: ${yamlValue(row.example ?? row.default)}`,
  ]);
  return [...(name === '' ? [] : [`# ${name}:`]), ...entries].join('\n');
}

/** A meaning as comment lines. */
function wrapped(meaning: string, start: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of meaning.replaceAll('`', '').split(' ')) {
    if (line !== '' && start.length + line.length + 1 + word.length > widthMax) {
      lines.push(start + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, start + line];
}

/** Plain where YAML reads it as the same text, in quotes elsewhere. */
function yamlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlValue).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[\w./][\w./:@ -]*$/.test(value) && !/: |^(true|false|yes|no|on|off|null|\d+(\.\d+)?)$/i.test(value);
  return isPlain ? value : `'${value}'`;
}
