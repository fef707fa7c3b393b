/**
 * The snippets of the home page, run with the real programs: each is installed from npm into a cache, gets a fresh home and a network
 * that has Weir and nothing else, is asked one question, and must give one answer. Prints agent × target, where a target is a model
 * with a token without limits, or a host with two limited tokens.
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startHostProvider } from '../test/agents/ask-holders.ts';
import { type AgentHost, holderTokens, hosts, hostsYaml } from '../test/agents/hosts.ts';
import { installProgram } from '../test/agents/install-program.ts';
import { judgeRun, tableOf, type Verdict } from '../test/agents/judge-run.ts';
import { openLoopback, withoutNetwork } from '../test/agents/network.ts';
import { type AgentProgram, agents, libraries } from '../test/agents/programs.ts';
import { readmeBlocks, runBlock } from '../test/agents/readme-blocks.ts';
import { type Recorder, startRecorder } from '../test/agents/recorder.ts';
import { runLimited } from '../test/agents/run-limited.ts';
import { runProgram } from '../test/agents/run-program.ts';
import { scrubbed } from '../test/agents/scrub.ts';
import { type AgentTarget, targets } from '../test/agents/targets.ts';
import { type RunningWeir, startWeir } from '../test/harness/weir.ts';

/**
 * The port of a Weir with default settings: the README's URLs work unchanged, since nothing else runs in the namespace.
 */
const port = 8787;
const insideVariable = 'WEIR_AGENTS_INSIDE';
const recordings = join(import.meta.dir, '../test/agents/recorded');
const insideTimeoutMs = 3 * 60 * 60_000;

const { values } = parseArgs({
  options: {
    agent: { type: 'string', multiple: true },
    target: { type: 'string', multiple: true },
    /** Of limited tokens, by its preset. */
    host: { type: 'string', multiple: true },
    /** Writes the requests that agents send to the sandbox to test/agents/recorded. */
    record: { type: 'boolean', default: false },
    /** Shows the output of the programs. */
    verbose: { type: 'boolean', default: false },
  },
});
const chosenPrograms = chosen([...libraries, ...agents], ({ id }) => id, values.agent, 'agent');
const usualTargets = targets.filter(({ usual }) => usual).map(({ name }) => name);
const usualHosts = hosts.filter(({ usual }) => usual).map(({ kind }) => kind);
/** Who names one kind of target wants no other. */
const isUsual = !values.record && values.target === undefined && values.host === undefined;
const namedTargets = values.record ? ['sandbox'] : (values.target ?? (isUsual ? usualTargets : []));
const chosenTargets = chosen(targets, ({ name }) => name, namedTargets, 'target');
const chosenHosts = chosen(hosts, ({ kind }) => kind, values.host ?? (isUsual ? usualHosts : []), 'host');

process.exit(await (process.env[insideVariable] === undefined ? outside() : inside(process.env[insideVariable])));

function chosen<Item>(all: readonly Item[], nameOf: (item: Item) => string, names: string[] | undefined, what: string) {
  if (names === undefined) return all;
  const wrong = names.filter((name) => !all.some((item) => nameOf(item) === name));
  if (wrong.length > 0) {
    console.error(`There is no ${what} ${wrong.join(', ')}. There are: ${all.map(nameOf).join(', ')}.`);
    process.exit(2);
  }
  return all.filter((item) => names.includes(nameOf(item)));
}

/** Installs while there is a network, and continues in a namespace without one. */
async function outside(): Promise<number> {
  const way = withoutNetwork();
  if (typeof way === 'string') {
    console.log(`Skipped: ${way}.`);
    return 0;
  }
  const skipped: Record<string, string> = {};
  for (const program of chosenPrograms) {
    if (program.packages.length > 0) console.log(`${program.id}: ${program.packages.join(' ')}`);
    const reason = await installProgram(program);
    if (reason !== undefined) skipped[program.id] = reason;
  }
  for (const [id, reason] of Object.entries(skipped)) console.log(`Skipped ${id}: ${reason}`);
  const child = Bun.spawn([...way, process.execPath, import.meta.path, ...process.argv.slice(2)], {
    env: { ...process.env, [insideVariable]: JSON.stringify(skipped) },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    timeout: insideTimeoutMs,
    killSignal: 'SIGKILL',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'));
  return await child.exited;
}

async function inside(skippedText: string): Promise<number> {
  openLoopback();
  const skipped = new Map(Object.entries(JSON.parse(skippedText) as Record<string, string>));
  const present = chosenPrograms.filter(({ id }) => !skipped.has(id));
  const verdicts: Verdict[] = [];
  for (const target of chosenTargets) verdicts.push(...(await runTarget(target, present)));
  for (const host of chosenHosts) verdicts.push(...(await runHost(host, present)));
  console.log(`\n${tableOf(verdicts, skipped)}\n`);
  const failed = verdicts.filter(({ failure }) => failure !== undefined);
  for (const { agent, target, failure } of failed) console.log(`${agent} on ${target}: ${failure}`);
  for (const { agent, target, refusals } of verdicts)
    for (const refusal of refusals) console.log(`${agent} on ${target}, refused: ${refusal}`);
  console.log(`${verdicts.length - failed.length} passed, ${failed.length} failed, ${skipped.size} skipped`);
  return failed.length === 0 ? 0 : 1;
}

async function runTarget(target: AgentTarget, present: readonly AgentProgram[]): Promise<Verdict[]> {
  const background = await target.start();
  const { yaml } = background;
  const weir = await startWeir({
    holders: 'two',
    ...(yaml !== undefined && { yaml }),
    ...(!values.record && { port }),
  });
  const recorder = values.record ? startRecorder(port, weir.url) : undefined;
  try {
    const verdicts = target.name === 'sandbox' && values.agent === undefined ? await runReadme(weir) : [];
    recorder?.taken();
    for (const program of present) {
      const before = { requests: await requestsOf(weir), refusals: background.refusals().length };
      const run = await runProgram(program, { origin: `http://127.0.0.1:${port}`, model: target.model }, weir.token);
      const requests = (await requestsOf(weir)) - before.requests;
      const verdict = judgeRun(program, target, run, requests, background.refusals().slice(before.refusals));
      verdicts.push(verdict);
      console.log(`${program.id} on ${target.name}: ${verdict.failure ?? 'ok'}`);
      if (values.verbose) console.log(`${run.output}\n${run.complaints}`);
      if (recorder !== undefined && program.oneQuestion !== undefined) await keep(program, recorder);
    }
    return verdicts;
  } finally {
    recorder?.stop();
    await weir.remove();
    await background.stop();
  }
}

async function runHost(host: AgentHost, present: readonly AgentProgram[]): Promise<Verdict[]> {
  const provider = startHostProvider();
  const weir = await startWeir({ yaml: hostsYaml([host], provider) });
  const recorder = startRecorder(port, weir.url);
  try {
    const tokens = await holderTokens(weir, [host]);
    const place = { url: weir.url, origin: `http://127.0.0.1:${port}`, tokens, provider, recorder };
    const verdicts: Verdict[] = [];
    for (const program of present) {
      const verdict = await runLimited(place, program, host);
      verdicts.push(verdict);
      console.log(`${program.id} on ${verdict.target}: ${verdict.failure ?? 'ok'}`);
    }
    return verdicts;
  } finally {
    recorder.stop();
    await weir.remove();
    await provider.stop();
  }
}

/** The README uses the default URL and the sandbox, so its first calls run there. */
async function runReadme(weir: RunningWeir): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const block of await readmeBlocks()) {
    const [before, startedAtMs] = [await requestsOf(weir), performance.now()];
    const failure = await runBlock(block, weir.token);
    console.log(`README, ${block.title}: ${failure ?? 'ok'}`);
    if (failure?.startsWith('skipped') === true) continue;
    const requests = (await requestsOf(weir)) - before;
    const facts = { agent: `README, ${block.title}`, target: 'sandbox', requests, refusals: [] };
    const durationMs = performance.now() - startedAtMs;
    verdicts.push({ ...facts, durationMs, ...(failure !== undefined && { failure }) });
  }
  return verdicts;
}

/** Finished and failed model requests, of all endpoints. */
async function requestsOf({ url }: RunningWeir): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^weir_requests_total\{[^}]*\} (\d+)/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function keep(program: AgentProgram, recorder: Recorder): Promise<void> {
  const requests = scrubbed(recorder.taken());
  const recording = { agent: program.id, packages: program.packages, requests };
  await Bun.write(join(recordings, `${program.id}.json`), `${JSON.stringify(recording, null, 1)}\n`);
}
