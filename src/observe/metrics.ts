/** Counters and histograms of this process in Prometheus' text form. */

import type { LedgerFigures } from '../ledger/closings/ledger-counts.ts';
import type { Observation } from '../relay/admission/observation.ts';
import type { EndedAttempt } from '../relay/attempts/ended-attempt.ts';
import { AttemptCounts } from './attempt-metrics.ts';
import { type Condition, type ConditionKind, conditionKinds } from './conditions.ts';
import { emptyHistogram, type Histogram, histogram, record, secondsBounds } from './histogram.ts';
import { ledgerFamilies } from './ledger-metrics.ts';
import {
  type Dependencies,
  dependencyFamilies,
  type ProcessFacts,
  processFamilies,
  single,
} from './process-metrics.ts';
import { type Family, label, type RoutingGauges, routingFamilies } from './routing-metrics.ts';

/** Label values come from configuration and callers; beyond this many they are counted together. */
const seriesMax = 2_000;

export interface Gauges {
  readonly requestsInFlight: number;
  readonly attemptsRunning: number;
  readonly dependencies?: Dependencies;
  readonly configurationRejected?: boolean;
  readonly conditions?: readonly Condition[];
  readonly ledger?: LedgerFigures;
  readonly routing?: RoutingGauges;
}

/** The counters of one endpoint, provider and model; found by one look-up per request. */
interface Series {
  readonly labels: string;
  readonly outcomes: Map<string, number>;
  inputTokens: number;
  outputTokens: number;
  costNano: bigint;
  unpriced: number;
  readonly total: Histogram;
  readonly firstEvent: Histogram;
}

export class Metrics {
  readonly #facts: ProcessFacts;
  /** By their labels. */
  readonly #series = new Map<string, Series>();
  readonly #byName = new Map<string, Map<string, Map<string, Series>>>();
  readonly #others = emptySeries('endpoint="others",provider="",model=""');
  readonly #answers = new Map<number, number>();
  readonly #attempts = new AttemptCounts();
  #gauges: () => Gauges | Promise<Gauges> = () => ({ requestsInFlight: 0, attemptsRunning: 0 });

  constructor(facts: ProcessFacts = { version: '', startedAtMs: 0 }) {
    this.#facts = facts;
  }

  setGauges(read: () => Gauges | Promise<Gauges>): void {
    this.#gauges = read;
  }

  answered(status: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
  }

  attempted(ended: EndedAttempt): void {
    this.#attempts.count(ended);
  }

  observe(seen: Observation): void {
    const series = this.#seriesOf(seen);
    const outcome = seen.code === '' ? String(seen.status) : `${seen.status} ${seen.code}`;
    series.outcomes.set(outcome, (series.outcomes.get(outcome) ?? 0) + 1);
    series.inputTokens += seen.inputTokens;
    series.outputTokens += seen.outputTokens;
    series.costNano += seen.costNano;
    if (seen.unpriced) series.unpriced++;
    record(series.total, seen.totalMs / 1000);
    if (seen.firstEventMs !== undefined) record(series.firstEvent, seen.firstEventMs / 1000);
  }

  #seriesOf({ endpoint, provider, model }: Observation): Series {
    // Looked up name by name: a joined key would be a new string to hash for every request.
    const known = this.#byName.get(endpoint)?.get(provider)?.get(model);
    if (known !== undefined) return known;
    // Names come from callers: beyond the limit they are counted together.
    if (this.#series.size >= seriesMax) return this.#others;
    const labels = `endpoint="${label(endpoint)}",provider="${label(provider)}",model="${label(model)}"`;
    // A label is shortened, so that two names may have one: they are one series.
    const same = this.#series.get(labels);
    if (same !== undefined) return same;
    const made = emptySeries(labels);
    this.#series.set(labels, made);
    const ofEndpoint = this.#byName.get(endpoint) ?? new Map<string, Map<string, Series>>();
    const ofProvider = ofEndpoint.get(provider) ?? new Map<string, Series>();
    this.#byName.set(endpoint, ofEndpoint.set(provider, ofProvider.set(model, made)));
    return made;
  }

  async text(): Promise<string> {
    const gauges = await this.#gauges();
    const all = [...this.#series.values()];
    if (this.#others.total.total > 0) all.push(this.#others);
    const lines = [
      ...family('weir_http_responses_total', 'counter', 'Replies by HTTP status.', answerRows(this.#answers)),
      ...family('weir_requests_total', 'counter', 'Model requests by outcome.', new Map(all.flatMap(outcomeRows))),
      ...family('weir_tokens_total', 'counter', 'Tokens by class.', new Map(all.flatMap(tokenRows))),
      ...family('weir_cost_usd_total', 'counter', 'Cost in US dollars.', new Map(all.map(costRow))),
      ...family(
        'weir_unpriced_requests_total',
        'counter',
        'Requests whose cost is not known and not in weir_cost_usd_total.',
        new Map(all.map(unpricedRow)),
      ),
      ...histogram('weir_request_seconds', 'Time until a request ended.', all, ({ total }) => total),
      ...histogram(
        'weir_first_event_seconds',
        'Time until the first event or reply.',
        all,
        ({ firstEvent }) => firstEvent,
      ),
      ...family(
        'weir_requests_in_flight',
        'gauge',
        'Requests that have no reply head yet.',
        single(gauges.requestsInFlight),
      ),
      ...family('weir_attempts_running', 'gauge', 'Attempts in flight.', single(gauges.attemptsRunning)),
      ...family(
        'weir_configuration_rejected',
        'gauge',
        'Above 0: the configuration file has a mistake, and what was in effect before stays.',
        single(gauges.configurationRejected === true ? 1 : 0),
      ),
      ...family(
        'weir_replica_fault',
        'gauge',
        'Above 0: something is wrong with this replica while it serves, as its log says.',
        new Map(conditionKinds.map((kind) => [`kind="${kind}"`, Number(isPresent(kind, gauges.conditions))])),
      ),
      ...this.#attempts.histograms(),
      ...[
        this.#attempts.family(),
        ...(gauges.routing === undefined ? [] : routingFamilies(gauges.routing)),
        ...(gauges.ledger === undefined ? [] : ledgerFamilies(gauges.ledger)),
        ...(gauges.dependencies === undefined ? [] : dependencyFamilies(gauges.dependencies)),
        ...processFamilies(this.#facts),
      ].flatMap(({ name, kind, help, rows }) => family(name, kind, help, rows)),
    ];
    return `${lines.join('\n')}\n`;
  }
}

type Rows = readonly (readonly [labels: string, value: number])[];

function isPresent(kind: ConditionKind, conditions: readonly Condition[] = []): boolean {
  return conditions.some((each) => each.kind === kind);
}

function answerRows(answers: ReadonlyMap<number, number>): Map<string, number> {
  return new Map([...answers].map(([status, count]) => [`status="${status}"`, count]));
}

function outcomeRows({ labels, outcomes }: Series): Rows {
  return [...outcomes].map(([outcome, count]) => {
    const [status, code = ''] = outcome.split(' ');
    return [`${labels},status="${status}",code="${code}"`, count];
  });
}

function tokenRows({ labels, inputTokens, outputTokens }: Series): Rows {
  return [
    [`${labels},class="input"`, inputTokens],
    [`${labels},class="output"`, outputTokens],
  ];
}

function costRow({ labels, costNano }: Series): readonly [string, number] {
  return [labels, Number(costNano) / 1e9];
}

function unpricedRow({ labels, unpriced }: Series): readonly [string, number] {
  return [labels, unpriced];
}

function emptySeries(labels: string): Series {
  return {
    labels,
    outcomes: new Map(),
    inputTokens: 0,
    outputTokens: 0,
    costNano: 0n,
    unpriced: 0,
    total: emptyHistogram(secondsBounds),
    firstEvent: emptyHistogram(secondsBounds),
  };
}

function family(name: string, kind: Family['kind'], help: string, rows: Family['rows']): string[] {
  const shown = [...rows].map(([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...shown];
}
