/** Counters and histograms of this process in Prometheus' text form. */

import type { Observation } from '../relay/call.ts';

const secondsBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Label values come from configuration and callers; beyond this many they are counted together. */
const seriesMax = 2_000;

interface Histogram {
  readonly counts: number[];
  sum: number;
  total: number;
}

export interface Gauges {
  readonly requestsInFlight: number;
  readonly streamsRunning: number;
}

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #tokens = new Map<string, number>();
  readonly #costNano = new Map<string, bigint>();
  readonly #total = new Map<string, Histogram>();
  readonly #firstEvent = new Map<string, Histogram>();
  #answers = new Map<number, number>();
  #gauges: () => Gauges = () => ({ requestsInFlight: 0, streamsRunning: 0 });

  setGauges(read: () => Gauges): void {
    this.#gauges = read;
  }

  answered(status: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
  }

  observe(seen: Observation): void {
    const home = `endpoint="${label(seen.endpoint)}",provider="${label(seen.provider)}",model="${label(seen.model)}"`;
    add(this.#requests, `${home},status="${seen.status}",code="${seen.code}"`, 1);
    add(this.#tokens, `${home},class="input"`, seen.inputTokens);
    add(this.#tokens, `${home},class="output"`, seen.outputTokens);
    if (seen.costNano > 0n) this.#costNano.set(home, (this.#costNano.get(home) ?? 0n) + seen.costNano);
    record(this.#total, home, seen.totalMs / 1000);
    if (seen.firstEventMs !== undefined) record(this.#firstEvent, home, seen.firstEventMs / 1000);
  }

  text(): string {
    const gauges = this.#gauges();
    const memory = process.memoryUsage();
    const cpu = process.cpuUsage();
    const lines = [
      ...family(
        'weir_http_responses_total',
        'counter',
        'Replies by HTTP status.',
        this.#answers,
        (status) => `status="${status}"`,
      ),
      ...family('weir_requests_total', 'counter', 'Model requests by outcome.', this.#requests),
      ...family('weir_tokens_total', 'counter', 'Tokens by class.', this.#tokens),
      ...family(
        'weir_cost_usd_total',
        'counter',
        'Cost in US dollars.',
        mapValues(this.#costNano, (nano) => Number(nano) / 1e9),
      ),
      ...histogram('weir_request_seconds', 'Time until a request ended.', this.#total),
      ...histogram('weir_first_event_seconds', 'Time until the first event or reply.', this.#firstEvent),
      ...family(
        'weir_requests_in_flight',
        'gauge',
        'Requests that have no reply head yet.',
        new Map([['', gauges.requestsInFlight]]),
      ),
      ...family(
        'weir_streams_running',
        'gauge',
        'Streams that are being relayed.',
        new Map([['', gauges.streamsRunning]]),
      ),
      ...family('process_resident_memory_bytes', 'gauge', 'Resident memory.', new Map([['', memory.rss]])),
      ...family(
        'process_cpu_seconds_total',
        'counter',
        'Processor time.',
        new Map([['', (cpu.user + cpu.system) / 1e6]]),
      ),
    ];
    return `${lines.join('\n')}\n`;
  }
}

function add(series: Map<string, number>, key: string, amount: number): void {
  const known = series.get(key);
  if (known === undefined && series.size >= seriesMax) return;
  series.set(key, (known ?? 0) + amount);
}

function record(series: Map<string, Histogram>, key: string, seconds: number): void {
  let known = series.get(key);
  if (known === undefined) {
    if (series.size >= seriesMax) return;
    known = { counts: secondsBuckets.map(() => 0), sum: 0, total: 0 };
    series.set(key, known);
  }
  known.sum += seconds;
  known.total++;
  for (let index = secondsBuckets.length - 1; index >= 0 && seconds <= (secondsBuckets[index] ?? 0); index--) {
    known.counts[index] = (known.counts[index] ?? 0) + 1;
  }
}

function mapValues<V, R>(series: Map<string, V>, change: (value: V) => R): Map<string, R> {
  return new Map([...series].map(([key, value]) => [key, change(value)]));
}

function family<K>(
  name: string,
  kind: string,
  help: string,
  series: Map<K, number>,
  labels: (key: K) => string = String,
): string[] {
  const rows = [...series].map(([key, value]) => {
    const shown = labels(key);
    return `${name}${shown === '' ? '' : `{${shown}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...rows];
}

function histogram(name: string, help: string, series: Map<string, Histogram>): string[] {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const [key, { counts, sum, total }] of series) {
    secondsBuckets.forEach((bound, index) => {
      lines.push(`${name}_bucket{${key},le="${bound}"} ${counts[index]}`);
    });
    lines.push(
      `${name}_bucket{${key},le="+Inf"} ${total}`,
      `${name}_sum{${key}} ${sum}`,
      `${name}_count{${key}} ${total}`,
    );
  }
  return lines;
}

function label(value: string): string {
  return value.slice(0, 200).replace(/[\\"\n]/g, '_');
}
