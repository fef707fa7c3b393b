/** Every fault, in every client format, streamed and whole, forwarded and translated: reply, invoices and rows. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PlayedFault, piecesOf, textOf } from '../../fake-upstream/faults/directive.ts';
import { codeSaid } from '../../fake-upstream/faults/play-fault.ts';
import type { ProviderName } from '../../fake-upstream/wire/start-all.ts';
import { isFullSize } from '../../harness/size.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';
import { ask, type ClientFormat, type Reading } from './client.ts';
import { type Expectation, expected, type Fault, type Faulty, faults, free } from './expected.ts';
import {
  type ChaosRow,
  costOf,
  leastOwed,
  type ModelPlan,
  partCostMax,
  pooled,
  rowsOf,
  type Stage,
  startTargets,
  type TargetName,
  yamlFor,
} from './stage.ts';

interface Case extends ModelPlan {
  readonly fault: Fault;
  readonly faulty: Faulty;
  readonly client: ClientFormat;
  readonly stream: boolean;
}

/** Each client's own format, and one that must be translated. */
const pairs: readonly (readonly [ClientFormat, ProviderName])[] = [
  ['openai-chat', 'chat'],
  ['anthropic-messages', 'messages'],
  ['gemini-generate', 'generate'],
  ['openai-responses', 'responses'],
  ['openai-chat', 'messages'],
  ['anthropic-messages', 'generate'],
  ['gemini-generate', 'responses'],
  ['openai-responses', 'chat'],
];

/** Longer than a healthy target takes on a busy machine. */
const firstEventTimeoutMs = 8_000;
const timeoutMs = 10_000;
/** A reserved port, so that connections to it are refused. */
const closedPort = 1;

/** The sample of the usual size: each fault with each pair, and each expected outcome at least once. */
function isSampled(faultIndex: number, pair: number, stream: boolean, faulty: Faulty): boolean {
  if (isFullSize) return true;
  const shift = faultIndex + (stream ? 0 : 1);
  if (faulty === 'a') return (pair + shift) % 2 === 0;
  return (pair + shift) % 4 === (faulty === 'ab' ? 0 : 2);
}

const cases: readonly Case[] = faults.flatMap((fault, faultIndex) =>
  pairs.flatMap(([client, wire], pair) =>
    [true, false].flatMap((stream) =>
      (['a', 'ab', 'abc'] as const)
        // The outcome of several faults does not depend on the lane.
        .filter((faulty) => faulty === 'a' || pair < 4)
        .filter((faulty) => isSampled(faultIndex, pair, stream, faulty))
        .map((faulty): Case => {
          const name = `${fault}_${client}_${wire}_${stream ? 'stream' : 'whole'}_${faulty}`;
          const refusing = fault === 'refuse' ? ([...faulty] as ModelPlan['refusing']) : undefined;
          return {
            name,
            wire,
            order: 'in order',
            fault,
            faulty,
            client,
            stream,
            ...(refusing !== undefined && { refusing }),
            ...(fault === 'late-event' && { firstEventTimeoutMs }),
          };
        }),
    ),
  ),
);

let stage: Stage;
let weir: RunningWeir;
let rows: ReadonlyMap<string, ChaosRow>;
const readings = new Map<Case, Reading>();
const width = 24;
const slow: ReadonlySet<Fault> = new Set(['slow-head', 'stall-early', 'stall-late', 'late-event']);

beforeAll(async () => {
  stage = await startTargets();
  weir = await startWeir({
    yaml: {
      ...yamlFor(stage, cases, closedPort),
      // Weir waits for no target and retries none: on a busy machine a cooldown may end while the others are tried.
      limits: { attempts_max: 3 },
      clocks: { head_timeout_ms: timeoutMs, idle_timeout_ms: timeoutMs, patience_ms: 0, head_hold_ms: 600_000 },
      routing: { retry_percent_max: 100 },
    },
  });
  const play = async (each: Case): Promise<void> => {
    const { client: format, name: model, stream } = each;
    readings.set(each, await ask(weir, { format, model, stream, directive: { nonce: model, faults: played(each) } }));
  };
  // Cases that wait for a timeout run side by side, and the others run meanwhile.
  await Promise.all([
    pooled(
      cases.filter(({ fault }) => slow.has(fault)),
      cases.length,
      play,
    ),
    pooled(
      cases.filter(({ fault }) => !slow.has(fault)),
      width,
      play,
    ),
  ]);
  rows = await rowsOf(
    weir,
    [...readings.values()].map(({ requestId }) => requestId),
  );
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  stage?.stop();
});

test.each(faults)('%s', (fault) => {
  const own = cases.filter((each) => each.fault === fault);
  expect(new Set(own.map(({ stream, faulty }) => `${stream} ${faulty}`)).size).toBe(6);
  const seen = own.map((each) => [each.name, seenOf(each)]);
  const promised = own.map((each) => [each.name, promisedOf(each)]);
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(promised));
});

function played({ fault, faulty }: Case): Record<string, PlayedFault> {
  if (fault === 'refuse') return {};
  const plays: PlayedFault = fault === 'late-event' ? 'stall-early' : fault;
  return Object.fromEntries([...faulty].map((name) => [name, plays]));
}

/** A refused connection is on no invoice. */
function invoiced({ fault, faulty }: Case, asked: string): string {
  return fault === 'refuse' ? [...asked].filter((name) => !faulty.includes(name)).join('') : asked;
}

interface Facts {
  readonly status: number;
  readonly text: string;
  readonly ended: boolean;
  readonly marked: boolean;
  readonly failure: string | undefined;
  readonly oddities: readonly string[];
  readonly retryAfter: string | null;
  readonly shouldRetry: string | null;
  readonly invoiced: string;
  readonly row: string;
  readonly cost: string;
}

function seenOf(each: Case): Facts {
  const reading = readings.get(each);
  if (reading === undefined) throw new Error(`${each.name} was not asked`);
  const { requestId, attempts: _, ...facts } = reading;
  const row = rows.get(requestId);
  if (row === undefined) throw new Error(`${each.name} has no row`);
  const { result } = outcomeOf(each);
  const isSoon = result.kind === 'error' && result.retrySoon === true && /^[1-5]$/.test(facts.retryAfter ?? '');
  return {
    ...facts,
    retryAfter: isSoon ? 'soon' : facts.retryAfter,
    invoiced: stage
      .asked(each.name)
      .map(({ target }) => target)
      .join(''),
    row: `${row.status} ${row.code} after ${row.attempts}, ${row.opened} opened, by ${row.provider.slice(-1)}`,
    cost: costText(each, row),
  };
}

/** A broken reply is charged its input and its output until then: more than zero, and no more than its text allows. */
function costText(each: Case, { costNano, estimated, paidNano, paidEach }: ChaosRow): string {
  if (paidNano !== costNano) return `${costNano}, though the attempts cost ${paidNano}`;
  const { asked, charge } = outcomeOf(each);
  if (charge !== 'part') {
    const texts = [...asked].map((name, index) => {
      const paid = paidEach[index] ?? 0n;
      const isOwed = each.faulty.includes(name) && paid >= leastOwed(name as TargetName);
      return isOwed ? 'owed' : `${paid}`;
    });
    return `${texts.join(', ')}${estimated ? ' estimated' : ''}`;
  }
  const written = readings.get(each)?.text.length ?? 0;
  return costNano > 0n && costNano <= partCostMax('a', written) ? 'a part' : `${costNano}`;
}

/** Formats whose error event has a closed set of codes, or none. */
const codeInStream: Partial<Readonly<Record<ClientFormat, string>>> = {
  'gemini-generate': '?',
  'openai-responses': 'server_error',
};

function outcomeOf({ fault, stream, faulty }: Case): Expectation {
  return expected[fault][stream ? 'stream' : 'whole'][faulty];
}

/** The provider's own code; the messages format has a field for any code, the others only for codes of their list. */
function saidBy({ client, wire }: Case, { said, code }: Expectation['result'] & { readonly kind: 'error' }) {
  if (said === undefined) return undefined;
  const isPassed = client === 'anthropic-messages' && wire === 'generate' && code === 'upstream_refused';
  return isPassed ? `${said}` : codeSaid(wire, said);
}

function promisedOf(each: Case): Facts {
  const { asked, result, charge } = outcomeOf(each);
  const { name } = each;
  const common = { invoiced: invoiced(each, asked), oddities: [], retryAfter: null, shouldRetry: null };
  const row = (status: number, code: string) =>
    `${status} ${code} after ${asked.length}, ${asked.length} opened, by ${asked.slice(-1)}`;
  const costs = (server: TargetName | undefined): string => {
    const owed = free.has(each.fault) ? '0' : 'owed';
    const texts = [...asked].map((target) => (target === server ? `${costOf(server)}` : owed));
    return `${texts.join(', ')}${texts.includes('owed') ? ' estimated' : ''}`;
  };
  switch (result.kind) {
    case 'text':
      return {
        ...common,
        status: 200,
        text: textOf(name, result.by),
        ended: true,
        marked: true,
        failure: undefined,
        row: row(200, ''),
        cost: costs(charge === 'reply' ? result.by : undefined),
      };
    case 'error':
      return {
        ...common,
        status: result.status,
        text: '',
        ended: false,
        marked: false,
        failure: saidBy(each, result) ?? result.code,
        retryAfter: result.retrySoon === true ? 'soon' : (result.retryAfterSeconds?.toString() ?? null),
        shouldRetry: result.retrySoon === true || result.retryAfterSeconds !== undefined ? null : 'false',
        row: row(result.status, result.code),
        cost: costs(undefined),
      };
    case 'broken':
      return {
        ...common,
        status: 200,
        text: piecesOf(name, 'a').slice(0, 2).join(''),
        ended: false,
        marked: false,
        failure: codeInStream[each.client] ?? result.code,
        row: row(result.status, result.code),
        cost: 'a part',
      };
  }
}
