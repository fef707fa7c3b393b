/** Whether this process has free file descriptors. */

import { closeSync, openSync } from 'node:fs';
import { codeOf } from './errors.ts';

/**
 * The runtime says "connection refused" where it gets no socket from the system (Bun 1.4.4), so the operating system is
 * asked.
 */
export function isOutOfDescriptors(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return false;
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '');
  }
}
