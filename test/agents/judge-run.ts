/** Says whether a run was what a newcomer hopes for: one question, one answer, a clean end, and no more requests than that takes. */

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
}

export function judgeRun(
  program: AgentProgram,
  target: AgentTarget,
  run: ProgramRun,
  requests: number,
  refusals: readonly string[],
): Verdict {
  const failure = failureOf(program, target, run, requests, refusals);
  const facts = { agent: program.id, target: target.name, requests, durationMs: run.durationMs };
  return failure === undefined ? facts : { ...facts, failure };
}

function failureOf(
  { requestsMax }: AgentProgram,
  { answer }: AgentTarget,
  { code, output, complaints }: ProgramRun,
  requests: number,
  refusals: readonly string[],
): string | undefined {
  if (refusals.length > 0) return `the provider refused: ${refusals[0]}`;
  if (requests > requestsMax) return `${requests} requests, ${requestsMax} are enough`;
  if (code === undefined) return 'did not end';
  if (code !== 0) return `exit code ${code}: ${lastLines(complaints || output)}`;
  if (requests === 0) return 'asked nothing';
  return output.includes(answer) ? undefined : `no answer in the output: ${lastLines(output || complaints)}`;
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
    return `${verdict.failure === undefined ? 'ok' : 'FAILED'}, ${count}, ${(verdict.durationMs / 1000).toFixed(1)} s`;
  };
  const rows = agents.map((agent) => [agent, ...targets.map((target) => cell(agent, target))]);
  const lines = [['agent', ...targets], ['---', ...targets.map(() => '---')], ...rows];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
