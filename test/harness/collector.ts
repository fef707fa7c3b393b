/** An OpenTelemetry collector for tests: keeps what it gets, decoded with the official definitions. */

import { decodeExport } from './otlp-definitions.ts';

type Signal = Parameters<typeof decodeExport>[0];

export type Attributes = Readonly<Record<string, unknown>>;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly status: { readonly code?: number; readonly message?: string } | undefined;
  readonly resource: Attributes;
}

export interface CollectedLog {
  readonly body: string;
  readonly severityText: string;
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
}

export interface CollectedMetric {
  readonly name: string;
  readonly points: readonly { readonly attributes: Attributes; readonly value: number }[];
  readonly resource: Attributes;
}

interface Request {
  readonly path: string;
  readonly headers: Headers;
}

export interface RunningCollector {
  readonly url: string;
  /** What it answers from now on; 200 at first. */
  answer: { status: number; headers?: Record<string, string> };
  readonly requests: readonly Request[];
  readonly spans: readonly CollectedSpan[];
  readonly logs: readonly CollectedLog[];
  readonly metrics: readonly CollectedMetric[];
  stop(): Promise<void>;
}

export function startCollector(port = 0): RunningCollector {
  const requests: Request[] = [];
  const spans: CollectedSpan[] = [];
  const logs: CollectedLog[] = [];
  const metrics: CollectedMetric[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      requests.push({ path, headers: request.headers });
      const body = await request.bytes();
      const signal = path.replace('/v1/', '') as Signal;
      if (running.answer.status === 200) {
        const decoded = decode(signal, request.headers, body);
        if (signal === 'traces') spans.push(...spansIn(decoded));
        if (signal === 'logs') logs.push(...logsIn(decoded));
        if (signal === 'metrics') metrics.push(...metricsIn(decoded));
      }
      return new Response(null, running.answer);
    },
  });
  const running: RunningCollector = {
    url: `http://127.0.0.1:${server.port}`,
    answer: { status: 200 },
    requests,
    spans,
    logs,
    metrics,
    stop: () => server.stop(true),
  };
  return running;
}

function decode(signal: Signal, headers: Headers, given: Uint8Array<ArrayBuffer>): Decoded {
  const body = headers.get('content-encoding') === 'gzip' ? Bun.gunzipSync(given) : given;
  return decodeExport(signal, headers.get('content-type') === 'application/json', body) as Decoded;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Level {
  readonly resource: { readonly attributes: readonly KeyValue[] };
  readonly scopeSpans: readonly { readonly spans: readonly Item[] }[];
  readonly scopeLogs: readonly { readonly logRecords: readonly Item[] }[];
  readonly scopeMetrics: readonly { readonly metrics: readonly Item[] }[];
}

/** An empty export has none of them. */
type Decoded = Partial<Readonly<Record<'resourceSpans' | 'resourceLogs' | 'resourceMetrics', readonly Level[]>>>;
// Fields of messages, which the tests read by name.
type Item = Readonly<Record<string, never>>;

function attributesOf(list: readonly KeyValue[] | undefined): Attributes {
  return Object.fromEntries((list ?? []).map(({ key, value }) => [key, plainOf(value)]));
}

function plainOf(value: Readonly<Record<string, unknown>>): unknown {
  if ('intValue' in value) return Number(value['intValue']);
  const list = value['arrayValue'] as { readonly values?: readonly Record<string, unknown>[] } | undefined;
  if (list !== undefined) return (list.values ?? []).map(plainOf);
  return Object.values(value)[0];
}

const hexadecimal = (text: unknown): string => Buffer.from(String(text ?? ''), 'base64').toString('hex');
const ms = (nanos: unknown): number => Number(BigInt(String(nanos)) / 1_000n) / 1_000;

function spansIn({ resourceSpans = [] }: Decoded): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: hexadecimal(span['traceId']),
        spanId: hexadecimal(span['spanId']),
        parentSpanId: hexadecimal(span['parentSpanId']),
        traceState: String(span['traceState'] ?? ''),
        name: String(span['name']),
        kind: Number(span['kind']),
        startMs: ms(span['startTimeUnixNano']),
        endMs: ms(span['endTimeUnixNano']),
        attributes: attributesOf(span['attributes']),
        events: ((span['events'] ?? []) as readonly Item[]).map((event) => ({
          name: String(event['name']),
          attributes: attributesOf(event['attributes']),
        })),
        status: span['status'],
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
}

function logsIn({ resourceLogs = [] }: Decoded): CollectedLog[] {
  return resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map((log) => ({
        body: String(plainOf(log['body'] ?? {})),
        severityText: String(log['severityText']),
        eventName: String(log['eventName'] ?? ''),
        traceId: hexadecimal(log['traceId']),
        spanId: hexadecimal(log['spanId']),
        attributes: attributesOf(log['attributes']),
      })),
    ),
  );
}

/** Of a histogram the value is its count. */
function metricsIn({ resourceMetrics = [] }: Decoded): CollectedMetric[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map((metric) => {
        const data = (metric['sum'] ?? metric['gauge'] ?? metric['histogram'] ?? {}) as {
          dataPoints?: readonly Item[];
        };
        const points = (data.dataPoints ?? []).map((point) => ({
          attributes: attributesOf(point['attributes']),
          value: Number(point['asDouble'] ?? point['count'] ?? 0),
        }));
        return { name: String(metric['name']), points, resource: attributesOf(resource.attributes) };
      }),
    ),
  );
}
