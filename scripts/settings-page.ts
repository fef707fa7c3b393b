/** Writes the table of settings in docs/configuration.md from the settings themselves, so that no row is typed twice. */

import { settingList } from '../src/settings/settings.ts';

export const settingsPageFile = 'docs/configuration.md';

const code = (text: string) => `\`${text}\``;

function shownDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  return code(String(value));
}

function settingRows(): string[] {
  return settingList.map((row) => {
    const key = row.variableOnly === true ? '–' : code(row.key);
    return `| ${key} | ${code(row.variable)} | ${shownDefault(row.default)} | ${row.unit || '–'} | ${row.meaning} |`;
  });
}

/** The page with today's rows in the table whose first column is headed `key`. */
export function settingsPage(page: string): string {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith('| key |'));
  if (start === -1) throw new Error(`${settingsPageFile} has no table of settings.`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return [...lines.slice(0, start + 2), ...settingRows(), ...lines.slice(end)].join('\n');
}
