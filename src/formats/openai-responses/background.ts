/** OpenAI Responses API, replies in the background: their states. https://platform.openai.com/docs/guides/background (read 2026-11-19). */

import type { BackgroundState, Tree } from '../format.ts';
import { usageOf } from './usage.ts';

const running: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);
const ended: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

export function backgroundState(reply: Tree): BackgroundState {
  const { status } = reply;
  if (!running.has(status) && !ended.has(status)) throw new SyntaxError('the reply is in no known state');
  return { runs: running.has(status), begun: status !== 'queued', failed: status === 'failed', usage: usageOf(reply) };
}
