/** The histograms of OpenTelemetry's GenAI conventions: https://github.com/open-telemetry/semantic-conventions-genai (read 2026-11-17). */

import type { Attributes, HistogramPoint, MetricRecord } from './records.ts';

/** The bounds that the conventions name. */
const tokenBounds = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const secondBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const firstTokenBounds = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Names of models may come from callers: beyond this many they are counted together. */
const seriesMax = 2_000;

class Histogram {
  count = 0;
  sum = 0;
  readonly #bounds: readonly number[];
  readonly #buckets: number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = new Array<number>(bounds.length + 1).fill(0);
  }

  record(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index++;
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    this.count++;
    this.sum += value;
  }

  point(attributes: Attributes): HistogramPoint {
    const { count, sum } = this;
    return { attributes, count, sum, buckets: [...this.#buckets], bounds: this.#bounds };
  }
}

/** One operation, provider, model and kind of error. */
class Series {
  readonly attributes: Attributes;
  readonly duration = new Histogram(secondBounds);
  readonly firstToken = new Histogram(firstTokenBounds);
  readonly input = new Histogram(tokenBounds);
  readonly output = new Histogram(tokenBounds);

  constructor(attributes: Attributes) {
    this.attributes = attributes;
  }
}

interface Measured {
  readonly operation: string;
  readonly provider: string;
  readonly model: string;
  /** Empty where it ended well. */
  readonly errorType: string;
  readonly totalMs: number | undefined;
  /** Of a streamed reply. */
  readonly firstTokenMs: number | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** Series by four names, looked up one by one: a joined name would be a new string for each request. */
class SeriesTable {
  readonly #byName = new Map<string, Map<string, Map<string, Map<string, Series>>>>();
  readonly all: Series[] = [];

  record(measured: Measured): void {
    const series = this.#seriesOf(measured.operation, measured.provider, measured.model, measured.errorType);
    const { totalMs, firstTokenMs, inputTokens, outputTokens } = measured;
    if (totalMs !== undefined) series.duration.record(totalMs / 1_000);
    if (firstTokenMs !== undefined) series.firstToken.record(firstTokenMs / 1_000);
    if (inputTokens !== undefined) series.input.record(inputTokens);
    if (outputTokens !== undefined) series.output.record(outputTokens);
  }

  #seriesOf(operation: string, provider: string, model: string, errorType: string): Series {
    const found = this.#byName.get(operation)?.get(provider)?.get(model)?.get(errorType);
    if (found !== undefined) return found;
    if (this.all.length >= seriesMax && model !== others) return this.#seriesOf(operation, provider, others, errorType);
    const made = new Series({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider === '' ? undefined : provider,
      'gen_ai.request.model': model === '' ? undefined : model,
      'error.type': errorType === '' ? undefined : errorType,
    });
    this.all.push(made);
    const ofOperation = this.#byName.get(operation) ?? new Map<string, Map<string, Map<string, Series>>>();
    const ofProvider = ofOperation.get(provider) ?? new Map<string, Map<string, Series>>();
    const ofModel = ofProvider.get(model) ?? new Map<string, Series>();
    this.#byName.set(operation, ofOperation.set(provider, ofProvider.set(model, ofModel.set(errorType, made))));
    return made;
  }
}

const others = 'others';

export class GenAiMetrics {
  readonly #attempts = new SeriesTable();
  readonly #requests = new SeriesTable();

  /** A call of a provider: Weir is the client. */
  attempted(measured: Measured): void {
    this.#attempts.record(measured);
  }

  /** A request of a caller: Weir is the server. */
  served(measured: Measured): void {
    this.#requests.record(measured);
  }

  records(startMs: number, atMs: number): MetricRecord[] {
    const times = { startMs, atMs, kind: 'histogram' } as const;
    const of = (all: readonly Series[], read: (series: Series) => Histogram, more: Attributes = {}) =>
      all.flatMap((series) => {
        const found = read(series);
        return found.count === 0 ? [] : [found.point({ ...series.attributes, ...more })];
      });
    const attempts = this.#attempts.all;
    const requests = this.#requests.all;
    const input = of(attempts, (series) => series.input);
    const output = of(attempts, (series) => series.output);
    const duration = of(attempts, (series) => series.duration);
    const firstChunk = of(attempts, (series) => series.firstToken);
    const byType = [
      ...of(attempts, (series) => series.input, { 'gen_ai.token.type': 'input' }),
      ...of(attempts, (series) => series.output, { 'gen_ai.token.type': 'output' }),
    ];
    const records: MetricRecord[] = [
      // As published, which is what most dashboards read.
      { ...times, ...metricNames.tokenUsage, points: byType },
      { ...times, ...metricNames.operationDuration, points: duration },
      { ...times, ...metricNames.operationFirstChunk, points: firstChunk },
      // The same figures under the names that replace them.
      { ...times, ...metricNames.inputTokens, points: input },
      { ...times, ...metricNames.outputTokens, points: output },
      { ...times, ...metricNames.inferenceDuration, points: duration },
      { ...times, ...metricNames.inferenceFirstChunk, points: firstChunk },
      { ...times, ...metricNames.serverDuration, points: of(requests, (series) => series.duration) },
      { ...times, ...metricNames.serverFirstToken, points: of(requests, (series) => series.firstToken) },
    ];
    return records.filter(({ points }) => points.length > 0);
  }
}

const token = '{token}';
const metricNames = {
  tokenUsage: { name: 'gen_ai.client.token.usage', unit: token, description: 'Tokens of each call of a provider.' },
  operationDuration: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'Duration of each call of a provider.',
  },
  operationFirstChunk: {
    name: 'gen_ai.client.operation.time_to_first_chunk',
    unit: 's',
    description: 'Time to the first chunk of a streamed reply of a provider.',
  },
  inputTokens: {
    name: 'gen_ai.client.inference.operation.input_tokens',
    unit: token,
    description: 'Input tokens of each call of a provider.',
  },
  outputTokens: {
    name: 'gen_ai.client.inference.operation.output_tokens',
    unit: token,
    description: 'Output tokens of each call of a provider.',
  },
  inferenceDuration: {
    name: 'gen_ai.client.inference.duration',
    unit: 's',
    description: 'Duration of each call of a provider.',
  },
  inferenceFirstChunk: {
    name: 'gen_ai.client.inference.time_to_first_chunk',
    unit: 's',
    description: 'Time to the first chunk of a streamed reply of a provider.',
  },
  serverDuration: {
    name: 'gen_ai.server.request.duration',
    unit: 's',
    description: 'Duration of each request that Weir served.',
  },
  serverFirstToken: {
    name: 'gen_ai.server.time_to_first_token',
    unit: 's',
    description: 'Time to the first event of a streamed reply of Weir.',
  },
} as const;
