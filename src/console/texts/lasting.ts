/** Spans inside a sentence: whole days and hours are spelled out, everything else is as short as elsewhere. */

import type { Words } from '../words/en.ts';
import { durationText } from './time.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function lastingText(ms: number, tag: string, units: Words['units']): string {
  const spelled = (value: number, unit: 'day' | 'hour') =>
    new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  if (ms > 0 && ms % dayMs === 0) return spelled(ms / dayMs, 'day');
  if (ms > 0 && ms < dayMs && ms % hourMs === 0) return spelled(ms / hourMs, 'hour');
  return durationText(ms, tag, units);
}
