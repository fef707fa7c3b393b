/** OpenTelemetry as the gateway uses it: tracing for the relay, log lines, metrics, and the end. */

import type { RequestTracing } from '../../relay/attempts/request-trace.ts';
import type { TelemetryConfig } from '../../settings/config.ts';
import type { Transport } from '../../upstream/transport.ts';
import type { Logger, LogLine } from '../logger.ts';
import { Collector } from './collector.ts';
import { createJsonEncoding } from './encode-json.ts';
import { createProtobufEncoding } from './encode-protobuf.ts';
import type { Encoding, Resource } from './encoding.ts';
import { GenAiMetrics } from './gen-ai-metrics.ts';
import { contentRecord, logRecord } from './log-records.ts';
import { readPrometheusText } from './prometheus-metrics.ts';
import type { Attributes, Signal } from './records.ts';
import { Tracing } from './request-tracing.ts';
import { ExportCounts, SignalExporter } from './signal-exporter.ts';

interface TelemetryOptions {
  readonly config: TelemetryConfig;
  readonly version: string;
  /** Different for every process, also for workers of one machine. */
  readonly instanceId: string;
  readonly transport: Transport;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** The text of `/metrics`, of this process alone. */
  metricsText(): Promise<string>;
  nowMs(): number;
  wallMs(): number;
  random(): number;
}

export interface Telemetry {
  readonly tracing: RequestTracing;
  /** A log line was written. */
  logged(line: LogLine): void;
  /** How much was exported and dropped, in the form of `/metrics`. */
  metricsText(): string;
  /** Exports what waits within this time. */
  stop(withinMs: number): Promise<void>;
}

function encodingOf({ protocol }: Pick<TelemetryConfig, 'protocol'>, resource: Resource): Encoding {
  return protocol === 'http/json' ? createJsonEncoding(resource) : createProtobufEncoding(resource);
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { config, nowMs, wallMs } = options;
  const encoding = encodingOf(config, resourceOf(options));
  const collector = new Collector({ ...options, contentType: encoding.contentType });
  const exporterOf = (signal: Signal, isOn: boolean): SignalExporter | undefined =>
    isOn
      ? new SignalExporter({
          ...{ signal, encoding, collector },
          ...{ bytesMax: config.queueBytesMax, batchMs: config.batchMs },
        })
      : undefined;
  const traces = exporterOf('traces', config.traces);
  const logs = exporterOf('logs', config.logs || config.content);
  const metrics = new MetricsExport(options, encoding, collector);
  const tracing = new Tracing({
    sampling: config.sampling,
    propagate: config.propagate,
    exportSpan: traces && ((span) => traces.addSpan(span)),
    exportContents: config.content
      ? (ids, call, request, reply) => logs?.addLog(contentRecord(ids, call, { request, reply, atMs: wallMs() }))
      : undefined,
    metrics: metrics.genAi,
    nowMs,
    wallMs,
  });
  return {
    tracing,
    logged(line) {
      if (!config.logs) return;
      logs?.addLog(logRecord(line, tracing.recent.find(line.fields['requestId'] ?? '')));
    },
    metricsText: () => countsText({ traces: traces?.counts, metrics: metrics.counts, logs: logs?.counts }),
    async stop(withinMs) {
      await Promise.all([traces?.stop(withinMs), metrics.stop(withinMs)]);
      await logs?.stop(withinMs);
    },
  };
}

function resourceOf({ config, version, instanceId }: TelemetryOptions): Resource {
  const attributes: Attributes = {
    'service.name': config.serviceName,
    'service.version': version,
    'service.instance.id': instanceId,
    'process.pid': process.pid,
    'telemetry.sdk.name': 'weir',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    ...config.resourceAttributes,
  };
  return { attributes, scope: { name: 'weir', version } };
}

/** Metrics are cumulative: one that could not be sent is contained in the next, so none waits. */
class MetricsExport {
  readonly genAi = new GenAiMetrics();
  readonly counts = new ExportCounts();
  readonly #options: TelemetryOptions;
  readonly #encoding: Encoding;
  readonly #collector: Collector;
  readonly #startMs: number;
  readonly #timer: Timer | undefined;

  constructor(options: TelemetryOptions, encoding: Encoding, collector: Collector) {
    this.#options = options;
    this.#encoding = encoding;
    this.#collector = collector;
    this.#startMs = options.wallMs();
    if (!options.config.metrics) return;
    this.#timer = setInterval(() => {
      if (!collector.isResting) void this.#export();
    }, options.config.metricsMs);
    this.#timer.unref();
  }

  async #export(limitMs?: number): Promise<void> {
    const { metricsText, wallMs } = this.#options;
    const atMs = wallMs();
    const batch = this.#encoding.newBatch();
    for (const metric of readPrometheusText(await metricsText(), this.#startMs, atMs)) batch.addMetric(metric);
    for (const metric of this.genAi.records(this.#startMs, atMs)) batch.addMetric(metric);
    const sent = await this.#collector.send('metrics', batch.body('metrics'), limitMs);
    if (sent === 'sent') this.counts.sent += batch.count;
    else if (sent === 'refused') this.counts.dropped.refused += batch.count;
  }

  async stop(withinMs: number): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    await Promise.race([this.#export(withinMs).catch(() => undefined), Bun.sleep(withinMs)]);
  }
}

function countsText(counts: Readonly<Record<Signal, ExportCounts | undefined>>): string {
  const known = Object.entries(counts).flatMap(([signal, one]) => (one === undefined ? [] : [[signal, one] as const]));
  return `${[
    '# HELP weir_telemetry_exported_total Spans, log records and metrics that the collector accepted.',
    '# TYPE weir_telemetry_exported_total counter',
    ...known.map(([signal, { sent }]) => `weir_telemetry_exported_total{signal="${signal}"} ${sent}`),
    '# HELP weir_telemetry_dropped_total Spans, log records and metrics that were dropped.',
    '# TYPE weir_telemetry_dropped_total counter',
    ...known.flatMap(([signal, { dropped }]) =>
      Object.entries(dropped).map(
        ([reason, count]) => `weir_telemetry_dropped_total{signal="${signal}",reason="${reason}"} ${count}`,
      ),
    ),
  ].join('\n')}\n`;
}
