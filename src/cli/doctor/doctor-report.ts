/** Writes what `weir doctor` found: aligned and grouped for people, or the same as JSON. */

import type { Setting } from '../../settings/config.ts';
import type { Check } from './doctor-providers.ts';

interface DoctorReport {
  readonly settings: readonly Setting[];
  readonly checks: readonly Check[];
}

export function reportAsJson(report: DoctorReport): string {
  const broken = report.checks.some((check) => check.state === 'broken');
  const settings = report.settings.map(({ value: _, ...shown }) => shown);
  return `${JSON.stringify({ ok: !broken, settings, checks: report.checks }, null, 2)}\n`;
}

export function reportAsText(report: DoctorReport): string {
  const checks = report.checks.map((check) => [check.name, check.state, check.detail]);
  const broken = report.checks.filter((check) => check.state === 'broken').length;
  const verdict = broken === 0 ? 'Nothing is broken.' : `${broken} of ${checks.length} checks found something broken.`;
  return `Settings\n${settingLines(report.settings)}\nChecks\n${aligned(checks)}\n${verdict}\n`;
}

/** One block for each section, all blocks in the same columns. */
function settingLines(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => [setting.key, setting.shown, originText(setting)]);
  const lines = aligned(rows).split('\n');
  let text = '';
  let group = settings[0] === undefined ? '' : groupOf(settings[0]);
  settings.forEach((setting, index) => {
    if (groupOf(setting) !== group) text += '\n';
    group = groupOf(setting);
    text += `${lines[index]}\n`;
  });
  return text;
}

function groupOf(setting: Setting): string {
  return setting.key.includes('.') ? (setting.key.split('.')[0] ?? '') : '';
}

function originText(setting: Setting): string {
  return setting.origin === 'environment' ? `environment (${setting.variable ?? ''})` : setting.origin;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}
