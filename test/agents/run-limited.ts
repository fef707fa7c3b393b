/**
 * Runs a program on one host with two limited tokens at the same time, then sends each of its requests once more with all tokens:
 * what arrives, and what is refused, must be what it is without limits.
 */

import { answerText } from '../refusing/refusing-provider.ts';
import { objectOf } from '../refusing/rules/refusal.ts';
import { faultsAt, type HostPlace } from './ask-holders.ts';
import { type AgentHost, limitedHolders, modelFor } from './hosts.ts';
import { judgeRun, type Verdict } from './judge-run.ts';
import type { AgentProgram } from './programs.ts';
import type { Recorder, SentRequest } from './recorder.ts';
import { type ProgramRun, runProgram } from './run-program.ts';
import { toolRequests } from './targets.ts';

export interface LimitedPlace extends HostPlace {
  /** What programs are told: the recorder's. */
  readonly origin: string;
  readonly recorder: Recorder;
}

interface HeldRun {
  readonly run: ProgramRun;
  readonly requests: readonly SentRequest[];
  readonly refusals: readonly string[];
  readonly asked: string;
}

export async function runLimited(place: LimitedPlace, program: AgentProgram, host: AgentHost): Promise<Verdict> {
  const { origin, tokens, recorder, provider } = place;
  recorder.taken();
  const refusedBefore = provider.refused.length;
  const runs = await Promise.all(
    limitedHolders.map((holder) => runProgram(program, { origin, model: modelFor(host, holder) }, tokens[holder])),
  );
  const sent = recorder.taken();
  const refused = provider.refused.slice(refusedBefore);
  const held = limitedHolders.flatMap((holder, index): HeldRun[] => {
    const run = runs[index];
    const asked = modelFor(host, holder);
    const requests = sent.filter((request) => modelIn(request) === asked);
    const refusals = refused.filter((one) => one.holder === holder).map(({ wire, message }) => `${wire}: ${message}`);
    return run === undefined ? [] : [{ run, requests, refusals, asked }];
  });
  const others = sent.filter((request) => !held.some(({ asked }) => asked === modelIn(request)));
  const failures = [
    ...held.flatMap((each) => judgeRun(program, targetOf(host), each.run, each.requests.length, []).failure ?? []),
    ...others.map((request) => `asked for ${modelIn(request)}`),
    ...sent.filter(({ status }) => status !== 200).map(({ path, status }) => `${path} was answered with ${status}`),
    ...(await replayed(place, host, held)),
  ];
  return {
    agent: program.id,
    target: targetOf(host).name,
    requests: sent.length,
    durationMs: Math.max(...runs.map(({ durationMs }) => durationMs)),
    refusals: held.flatMap(({ refusals }) => refusals),
    ...(failures.length > 0 && { failure: [...new Set(failures)].join('; ') }),
  };
}

async function replayed(place: HostPlace, host: AgentHost, held: readonly HeldRun[]): Promise<string[]> {
  const faults: string[] = [];
  const refusedBefore = place.provider.refused.length;
  for (const { requests, asked } of held) {
    for (const [index, request] of requests.entries()) {
      const found = await faultsAt(place, host, request, asked);
      faults.push(...found.map((fault) => `request ${index + 1}: ${fault}`));
    }
  }
  // What the model refuses from everyone is learned by each holder's provider once.
  const usual = place.provider.refused.slice(refusedBefore).filter(({ holder }) => holder === 'unlimited').length;
  for (const { refusals } of held) if (refusals.length > usual) faults.push(`refused: ${refusals.join(' | ')}`);
  return faults;
}

function modelIn({ path, body }: SentRequest): string {
  return /\/models\/(.+):/.exec(decodeURIComponent(path))?.[1] ?? String(objectOf(body).model);
}

function targetOf({ kind, group }: AgentHost) {
  const name = `${group} ${kind}`;
  return { name, answer: answerText, greeting: answerText, requestsMore: toolRequests };
}
