/** Where admin keys are asked for, and how forms write lists. */

import type { AdminKeyView } from '../../../../admin/contracts/admin-key-contract.ts';
import type { Tone } from '../../../components/badge.tsx';

export const adminKeysPath = '/console/api/admin-keys';
/** What a change of a key makes outdated. */
export const staleAfterKeys = [adminKeysPath, '/console/api/audit'];

export const keyTones: Readonly<Record<AdminKeyView['state'], Tone>> = {
  active: 'ok',
  suspended: 'warn',
  expired: 'plain',
  revoked: 'plain',
};

export const linesIn = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

/** As the calendar of a browser writes it. */
export const dayOf = (at: string | undefined): string => at?.slice(0, 10) ?? '';
