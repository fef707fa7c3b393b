/** Where alerts, their rules and channels are asked for, and what each state looks like. */

import type { AlertState, Severity } from '../../../admin/contracts/alert-contract.ts';
import type { Tone } from '../../components/badge.tsx';

export const alertsPath = '/console/api/alerts';
export const channelsPath = '/console/api/alert-channels';
export const rulesPath = '/console/api/alert-rules';

export const severityTones: Readonly<Record<Severity, Tone>> = { info: 'plain', warning: 'warn', critical: 'bad' };
export const stateTones: Readonly<Record<AlertState, Tone>> = { open: 'bad', resolved: 'ok', noted: 'plain' };
export const deliveryTones = { pending: 'accent', delivered: 'ok', failed: 'bad' } as const;

/** Numbers as people type them; undefined where it is no list of whole numbers. */
export function numbersIn(text: string): readonly number[] | undefined {
  const parts = text.split(/[,，\s]+/).filter((part) => part !== '');
  return parts.length > 0 && parts.every((part) => /^\d{1,6}$/.test(part)) ? parts.map(Number) : undefined;
}
