/**
 * Runs a program on one host with two limited tokens at the same time, then sends each of its requests once more with and without
 * limits: what arrives, and what is refused, must be the same.
 */

import { answerText } from '../refusing/refusing-provider.ts';
import { objectOf } from '../refusing/rules/refusal.ts';
import { askHolders, faultsInTurn, type HostPlace } from './ask-holders.ts';
import { type AgentHost, type Holder, limitedHolders, modelFor } from './hosts.ts';
import { judgeRun, type Verdict } from './judge-run.ts';
import type { AgentProgram } from './programs.ts';
import type { Recorder, SentRequest } from './recorder.ts';
import { type ProgramRun, runProgram } from './run-program.ts';
import { toolRequests } from './targets.ts';

export interface LimitedPlace extends HostPlace {
  /** The recorder's, which the programs are given. */
  readonly origin: string;
  readonly recorder: Recorder;
}

interface HeldRun {
  readonly holder: Holder;
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
    return run === undefined ? [] : [{ holder, run, requests, refusals, asked }];
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
  for (const { holder, requests, asked } of held) {
    const other = limitedHolders.find((each) => each !== holder) ?? holder;
    for (const [index, request] of requests.entries()) {
      const found = await faultsInTurn(place, host, request, other, asked);
      faults.push(...found.map((fault) => `request ${index + 1}: ${fault}`));
    }
  }
  return [...faults, ...(await newRefusals(place, host, held))];
}

/** What a provider refuses from everyone is learned at each once: the unlimited holder's sees the first requests now. */
async function newRefusals(place: HostPlace, host: AgentHost, held: readonly HeldRun[]): Promise<string[]> {
  const refused = held.filter(({ refusals }) => refusals.length > 0);
  const usual: string[] = [];
  for (const request of refused[0]?.requests ?? []) {
    const { unlimited } = await askHolders(place, host, request, refused[0]?.asked ?? '');
    usual.push(...unlimited.refusals);
  }
  return refused
    .filter(({ refusals }) => refusals.length > usual.length)
    .map((one) => `refused: ${one.refusals.join(' | ')}`);
}

function modelIn({ path, body }: SentRequest): string {
  return /\/models\/(.+):/.exec(decodeURIComponent(path))?.[1] ?? String(objectOf(body).model);
}

function targetOf({ kind, group }: AgentHost) {
  const name = `${group} ${kind}`;
  return { name, answer: answerText, greeting: answerText, requestsMore: toolRequests };
}
