/** The usage charged for a reply whose provider did not report all of it: what was reported, else an estimate. */

import type { Usage } from '../../conversation/usage.ts';

interface ReportedUsage {
  readonly usage: Usage;
  /** Is `usage` that of the whole reply? Absent: only where nothing went wrong. */
  readonly usageIsFinal?: boolean | undefined;
  /** The error's code, or `''`. */
  readonly code: string;
}

export function isExact({ usage, usageIsFinal, code }: ReportedUsage): boolean {
  if (usage.input.total === undefined || usage.output.total === undefined) return false;
  return usageIsFinal ?? code === '';
}

/**
 * A reported input is exact and keeps its classes (cached tokens have their own price). A reported output is a count so far:
 * what was written since then counts as well, so the larger of the two is charged.
 */
export function estimatedUsage(reported: Usage, inputTokens: number, writtenTokens: number): Usage {
  const { input, output } = reported;
  return {
    ...reported,
    input: input.total === undefined ? { total: inputTokens } : input,
    output: output.total !== undefined && output.total >= writtenTokens ? output : { total: writtenTokens },
  };
}
