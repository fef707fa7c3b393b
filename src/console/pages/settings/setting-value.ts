/** A setting's value between what is written in its control and what is sent, and as people say it. */

import type { SettingControl } from '../../../admin/contracts/settings-contract.ts';
import { bytesText, countText } from '../../texts/number.ts';
import { durationText } from '../../texts/time.ts';
import type { Words } from '../../words/en.ts';

/** What the control shows of a value. */
export function draftOf(value: unknown, { kind }: SettingControl): string {
  if (value === undefined || value === null) return '';
  if (kind === 'list') return Array.isArray(value) ? value.join('\n') : String(value);
  return String(value);
}

/** Absent where the draft is no value of this kind; null takes the console's value back. */
export function readDraft(draft: string, control: SettingControl): unknown {
  const text = draft.trim();
  switch (control.kind) {
    case 'switch':
      return text === 'true';
    case 'number': {
      if (text === '') return null;
      const plain = text.replace(/[\s,_']/g, '');
      const number = /^-?[0-9]{1,15}$/.test(plain) ? Number(plain) : Number.NaN;
      return number >= control.min && number <= control.max ? number : undefined;
    }
    case 'list': {
      const entries = text.split(/[\n,]/).map((entry) => entry.trim());
      return entries.some((entry) => entry !== '') ? entries.filter((entry) => entry !== '') : null;
    }
    default:
      return text === '' ? null : text;
  }
}

/** Says in larger units what a number of bytes or milliseconds is; absent where that would say nothing new. */
export function spokenOf(value: unknown, unit: string, tag: string, units: Words['units']): string | undefined {
  if (typeof value !== 'number') return undefined;
  if (unit === 'ms' && value >= 1_000) return durationText(value, tag, units);
  if (unit === 'bytes' && value >= 1_024) return bytesText(value, tag);
  if (unit === '' && value >= 10_000) return countText(value, tag);
  return undefined;
}
