/** The official protobuf definitions of OpenTelemetry's exports, which judge what Weir writes. */

import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js';

interface Definition {
  decode(bytes: Uint8Array): object;
  fromObject(plain: object): object;
  /** What is wrong with a message; null where nothing is. */
  verify(message: object): string | null;
  toObject(message: object, options: object): object;
}

interface Definitions {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Definition } };
        readonly metrics: { readonly v1: { readonly ExportMetricsServiceRequest: Definition } };
        readonly logs: { readonly v1: { readonly ExportLogsServiceRequest: Definition } };
      };
    };
  };
}

// The package's types leave out what its module has.
const { collector } = (root as unknown as Definitions).opentelemetry.proto;
const definitions = {
  traces: collector.trace.v1.ExportTraceServiceRequest,
  metrics: collector.metrics.v1.ExportMetricsServiceRequest,
  logs: collector.logs.v1.ExportLogsServiceRequest,
};

/** A body as plain values: 64-bit numbers as texts, bytes in base64. Throws where it is not what the definitions say. */
export function decodeExport(signal: keyof typeof definitions, isJson: boolean, body: Uint8Array): object {
  const definition = definitions[signal];
  const message = isJson ? definition.fromObject(readJson(body)) : definition.decode(body);
  const wrong = definition.verify(message);
  if (wrong !== null) throw new Error(wrong);
  return definition.toObject(message, { longs: String, bytes: String });
}

/** In JSON the ids are hexadecimal, by this protocol's own rule. */
function readJson(body: Uint8Array): object {
  return JSON.parse(new TextDecoder().decode(body), (key, value: unknown) =>
    /^(?:traceId|spanId|parentSpanId)$/.test(key) ? Buffer.from(String(value), 'hex').toString('base64') : value,
  ) as object;
}
