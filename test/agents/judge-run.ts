/**
 * Judges whether a run was what a new user expects: one question, one answer, a clean end, and no more
 * requests than that takes.
 */

import type { AgentProgram } from './programs.ts';
import type { ProgramRun } from './run-program.ts';
import type { AgentTarget } from './targets.ts';

export interface Verdict {
  readonly agent: string;
  readonly target: string;
  readonly requests: number;
  readonly durationMs: number;
  /** Absent where all was well. */
  readonly failure?: string;
  /** What the provider refused before it took the request without it. */
  readonly refusals: readonly string[];
}

type Judged = Pick<AgentTarget, 'name' | 'answer' | 'greeting' | 'requestsMore'>;

export function judgeRun(
  program: AgentProgram,
  target: Judged,
  run: ProgramRun,
  requests: number,
  refusals: readonly string[],
): Verdict {
  const failure = failureOf(program, target, run, requests);
  const facts = { agent: program.id, target: target.name, requests, durationMs: run.durationMs, refusals };
  return failure === undefined ? facts : { ...facts, failure };
}

function failureOf(
  { requestsMax, oneQuestion }: AgentProgram,
  { answer, greeting, requestsMore }: Judged,
  { code, output, complaints }: ProgramRun,
  requests: number,
): string | undefined {
  const enough = requestsMax + requestsMore;
  if (requests > enough) return `${requests} requests, ${enough} are enough`;
  if (code === undefined) return 'did not end';
  if (code !== 0) return `exit code ${code}: ${lastLines(complaints || output)}`;
  if (requests === 0) return 'asked nothing';
  const wanted = oneQuestion === undefined ? greeting : answer;
  return output.includes(wanted) ? undefined : `no answer in the output: ${lastLines(output || complaints)}`;
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-4).join(' | ').slice(-600);
}

/** A row for each agent, a column for each target. */
export function tableOf(verdicts: readonly Verdict[], skipped: ReadonlyMap<string, string>): string {
  const targets = [...new Set(verdicts.map(({ target }) => target))];
  const agents = [...new Set([...verdicts.map(({ agent }) => agent), ...skipped.keys()])];
  const cell = (agent: string, target: string) => {
    const verdict = verdicts.find((one) => one.agent === agent && one.target === target);
    if (verdict === undefined) return skipped.has(agent) ? 'skipped' : '';
    const count = `${verdict.requests} ${verdict.requests === 1 ? 'request' : 'requests'}`;
    const learned = verdict.refusals.length === 0 ? '' : `, ${verdict.refusals.length} refused`;
    const duration = `${(verdict.durationMs / 1000).toFixed(1)} s`;
    return `${verdict.failure === undefined ? 'ok' : 'FAILED'}, ${count}${learned}, ${duration}`;
  };
  const rows = agents.map((agent) => [agent, ...targets.map((target) => cell(agent, target))]);
  const lines = [['agent', ...targets], ['---', ...targets.map(() => '---')], ...rows];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
