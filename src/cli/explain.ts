/**
 * `weir explain`: asks a running Weir where a request would go, and prints the targets in order, the
 * excluded ones, and why.
 */

import { callerToken } from '../config/process-environment.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import { guessedFrom, incompleteIn } from '../prices/price-source.ts';
import type { ExplainedCandidate, ExplainedFact, ExplainedLimits, Explanation } from '../relay/explain/explanation.ts';
import { type EndpointSample, endpointSamples, sampleRequest } from '../snippets/endpoints.ts';
import { ArgumentError, type Arguments, type CommandWords, readArguments } from './arguments.ts';
import { exitCodes, type Output, printJson, reportMistakes } from './output.ts';
import { alignedTable, printable } from './table.ts';
import { costText } from './usage/usage-cost.ts';

export interface ExplainDependencies extends Output {
  /** From the environment. */
  readonly token: string | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly readFile: (path: string) => Promise<string>;
}

const urlByDefault = 'http://127.0.0.1:8787';
const timeoutMs = 30_000;

const usage = `Usage:
  weir explain MODEL [--url ${urlByDefault}] [--token TOKEN] [--endpoint chat] [--body FILE] [--json]

Asks a running Weir where a request for the model would go. No provider is called and nothing is charged or counted.
The token (--token, or the variable WEIR_TOKEN) must be allowed to explain: weir token create --may-explain.
--endpoint is one of ${[...endpointSamples.keys()].join(', ')}.
--body is a JSON file with the request. Default: a small sample request.`;

const words: CommandWords = {
  usage,
  flags: { url: 'value', token: 'value', endpoint: 'value', body: 'value', json: 'switch' },
  operandsMin: 1,
};

export function explain(args: readonly string[]): Promise<number> {
  return explainCommand(
    {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      token: callerToken(),
      fetch: (url, init) => fetch(url, init),
      readFile: (path) => Bun.file(path).text(),
    },
    args,
  );
}

export function explainCommand(dependencies: ExplainDependencies, argv: readonly string[]): Promise<number> {
  return reportMistakes(dependencies, async () => {
    const given = readArguments(words, argv);
    if (given.help) {
      dependencies.out(`${usage}\n`);
      return exitCodes.done;
    }
    const answer = await ask(dependencies, given);
    if (typeof answer === 'string') {
      dependencies.err(`${printable(answer)}\n`);
      return exitCodes.failed;
    }
    if (given.has('json')) printJson(dependencies, answer);
    else dependencies.out(shown(answer));
    return exitCodes.done;
  });
}

/** A message where there is no explanation. */
async function ask(dependencies: ExplainDependencies, given: Arguments): Promise<Explanation | string> {
  const [model = ''] = given.operands;
  const token = given.valueOf('token') ?? dependencies.token;
  if (token === undefined) throw mistake('No token given. Use --token or set WEIR_TOKEN.');
  const name = given.valueOf('endpoint') ?? 'chat';
  const sample = endpointSamples.get(name);
  if (sample === undefined) throw mistake(`--endpoint must be one of ${[...endpointSamples.keys()].join(', ')}.`);
  const base = baseFrom(given.valueOf('url') ?? urlByDefault);
  const { path, body } = await requestFrom(dependencies, given, sample, model);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'x-weir-explain': '1',
  };
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(timeoutMs) };
  let reply: Response;
  let text: string;
  try {
    reply = await dependencies.fetch(base + path, request);
    text = await reply.text();
  } catch {
    return `Connection to ${base} failed. Is Weir running there? --url says where it is.`;
  }
  return explanationIn(reply.status, text);
}

function baseFrom(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw mistake('--url must be a URL such as http://127.0.0.1:8787.');
  }
  // People copy the URL that libraries want, which ends in the version.
  return (parsed.origin + parsed.pathname).replace(/\/+$/, '').replace(/\/v1$/, '');
}

async function requestFrom(
  { readFile }: ExplainDependencies,
  given: Arguments,
  sample: EndpointSample,
  model: string,
): Promise<{ readonly path: string; readonly body: Tree }> {
  const file = given.valueOf('body');
  return sampleRequest(sample, model, file === undefined ? undefined : await fileTree(readFile, file));
}

async function fileTree(readFile: ExplainDependencies['readFile'], path: string): Promise<Tree> {
  const text = await readFile(path).catch(() => undefined);
  if (text === undefined) throw mistake(`--body: the file ${path} cannot be read.`);
  const tree = parsed(text);
  if (tree === undefined) throw mistake(`--body: the file ${path} is not a JSON object.`);
  return tree;
}

function parsed(text: string): Tree | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function explanationIn(status: number, text: string): Explanation | string {
  const tree = parsed(text);
  if (status === 200 && tree?.['object'] === 'weir.explanation') return tree as unknown as Explanation;
  const error = tree?.['error'];
  const message = isObject(error) && typeof error['message'] === 'string' ? error['message'] : undefined;
  return message ?? `The reply (${status}) is not an explanation. Check that the URL is that of a Weir server.`;
}

function mistake(message: string): ArgumentError {
  return new ArgumentError(message, usage);
}

function shown(explanation: Explanation): string {
  return [
    headOf(explanation),
    candidatesOf(explanation),
    profilesOf(explanation),
    excludedOf(explanation),
    limitsOf(explanation.limits),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function headOf({ model, operation, strategy, drawn, affinity }: Explanation): string {
  const chance = drawn ? ', random for each request' : '';
  const kept = affinity.kind === null ? '' : `; sticky by ${affinity.kind}`;
  return `${printable(model)} (${printable(operation)}), ${strategy}${chance}${kept}\n`;
}

function candidatesOf({ candidates }: Explanation): string {
  if (candidates.length === 0) return 'No target can serve this request.\n';
  // Targets that are not ready are skipped: the first of the others is called.
  const first = candidates.findIndex(({ ready_in_ms: readyInMs }) => readyInMs === 0);
  const table = alignedTable(
    [
      { title: '', align: 'right' },
      { title: 'PROVIDER' },
      { title: 'MODEL' },
      { title: 'TIER', align: 'right' },
      { title: 'STATE' },
      { title: 'KEYS', align: 'right' },
      { title: 'BUSY', align: 'right' },
      { title: 'LANE' },
      { title: 'FORMAT' },
      { title: 'AT MOST', align: 'right' },
    ],
    candidates.map((candidate, index) => rowOf(candidate, `${index === first ? '> ' : ''}${index + 1}`)),
  );
  const losses = candidates.flatMap(({ provider, losses: lost }) =>
    lost.map(({ what, why }) => `  ${printable(provider)} drops ${printable(what)}: ${printable(why)}\n`),
  );
  const lost = losses.length === 0 ? '' : `\nDropped fields:\n${losses.join('')}`;
  const learned = candidates.flatMap(({ provider, learned: refusals = [] }) =>
    refusals.map(({ what, at }) => `  ${printable(provider)} refused ${printable(what)} at ${printable(at)}\n`),
  );
  const guesses = candidates.flatMap(({ provider, price_version: version }) => {
    const whose = guessedFrom(version ?? '');
    return whose === undefined ? [] : [`  ${printable(provider)}: ${printable(whose)}\n`];
  });
  const guessed =
    guesses.length === 0 ? '' : `\n* Estimated from another provider’s price for the same model:\n${guesses.join('')}`;
  const unwhole = candidates.flatMap(({ provider, price_version: version }) => {
    const where = incompleteIn(version ?? '');
    return where === undefined ? [] : [`  ${printable(provider)}: ${printable(where)}\n`];
  });
  const incomplete = unwhole.length === 0 ? '' : `\n* Without a unit that is not known:\n${unwhole.join('')}`;
  return `${table}${guessed}${incomplete}${lost}${learned.length === 0 ? '' : `\nLearned from refusals:\n${learned.join('')}`}`;
}

/** One line for each place that something is written at. */
function profilesOf({ candidates }: Explanation): string {
  return candidates
    .filter(({ profile = [] }) => profile.length > 0)
    .map(({ provider, model, profile }) => {
      const places = Map.groupBy(profile, ({ from }) => from);
      const lines = [...places].map(([from, facts]) => `  ${printable(from)}: ${facts.map(factText).join('; ')}\n`);
      return `Facts about ${printable(model)} at ${printable(provider)}:\n${lines.join('')}`;
    })
    .join('');
}

function factText({ field, value }: ExplainedFact): string {
  return `${printable(field)} ${printable(textOf(value))}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ') || 'nothing';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, field]) => (name === 'kind' ? textOf(field) : `${name} ${textOf(field)}`))
    .join(' ');
}

function rowOf(candidate: ExplainedCandidate, place: string): readonly string[] {
  const { price_bound_usd: boundUsd } = candidate;
  return [
    place,
    candidate.provider + (candidate.region === null ? '' : ` (${candidate.region})`),
    candidate.model,
    String(candidate.tier),
    stateText(candidate),
    `${candidate.keys_ready}/${candidate.keys}`,
    String(candidate.in_flight),
    candidate.lane,
    candidate.format,
    costText({ costUsd: boundUsd, guess: candidate.price_source === 'guess' }),
  ];
}

function stateText({ state, ready_in_ms: readyInMs }: ExplainedCandidate): string {
  if (readyInMs === null || readyInMs === 0) return state;
  return `${state}, ${(readyInMs / 1_000).toFixed(1)} s`;
}

function excludedOf({ excluded }: Explanation): string {
  if (excluded.length === 0) return '';
  const lines = excluded.map(
    ({ provider, model, why }) => `  ${printable(provider)} (${printable(model)}): ${printable(why)}\n`,
  );
  return `Excluded:\n${lines.join('')}`;
}

function limitsOf({
  requests_per_minute: requests,
  tokens_per_minute: tokens,
  concurrency,
  budget,
}: ExplainedLimits): string {
  const left = [
    requests && `${requests.left} of ${requests.limit} requests in this minute`,
    tokens && `${tokens.left} of ${tokens.limit} tokens in this minute`,
    concurrency && `${concurrency.left} of ${concurrency.limit} concurrent requests`,
    budget && `$${budget.spent_usd} spent and $${budget.held_usd} held of $${budget.limit_usd} (${budget.period})`,
  ].filter((line) => line !== undefined);
  return left.length === 0 ? '' : `Left to the token:\n${left.map((line) => `  ${line}\n`).join('')}`;
}
