/** OpenTelemetry: Weir's own settings before the variables that all OpenTelemetry libraries read. */

import type { SamplingConfig, TelemetryConfig } from '../../settings/config.ts';
import type { SettingValues } from '../../settings/settings.ts';
import { type Problem, showFound } from '../problem.ts';

const protocols = ['http/protobuf', 'http/json'] as const;

export function readTelemetry(values: SettingValues): {
  readonly value: TelemetryConfig | undefined;
  readonly problems: readonly Problem[];
} {
  const endpoint = values['telemetry.endpoint'] ?? values['telemetry.otel_endpoint'];
  if (endpoint === undefined || values['telemetry.otel_disabled']) return { value: undefined, problems: [] };
  const asked = values['telemetry.protocol'] ?? values['telemetry.otel_protocol'] ?? 'http/protobuf';
  const protocol = protocols.find((known) => known === asked);
  if (protocol === undefined) return { value: undefined, problems: [unknownProtocol(asked)] };
  const value: TelemetryConfig = {
    endpoint,
    headers: readPairs(values['telemetry.headers'] ?? values['telemetry.otel_headers']),
    protocol,
    gzip: (values['telemetry.compression'] ?? values['telemetry.otel_compression']) === 'gzip',
    traces: values['telemetry.traces'],
    metrics: values['telemetry.metrics'],
    logs: values['telemetry.logs'],
    content: values['telemetry.content'],
    propagate: values['telemetry.propagate'],
    sampling: samplingOf(values),
    ...resourceOf(values),
    batchMs: values['telemetry.batch_ms'],
    metricsMs: values['telemetry.metrics_ms'],
    timeoutMs: values['telemetry.timeout_ms'],
    queueBytesMax: values['telemetry.queue_bytes_max'],
  };
  return { value, problems: [] };
}

/** The collector's usual port for gRPC is another one, so the URL would be wrong too. */
function unknownProtocol(asked: string): Problem {
  const variable = 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const allowed = `one of ${protocols.join(', ')}. Set telemetry.protocol, and a URL for HTTP, usually on port 4318`;
  return { key: variable, source: variable, found: showFound(asked), allowed };
}

function samplingOf(values: SettingValues): SamplingConfig {
  const own = values['telemetry.sample_ratio'];
  if (own !== undefined) return { ratio: own, followsParent: true };
  const sampler = values['telemetry.otel_sampler'] ?? 'parentbased_always_on';
  const followsParent = sampler.startsWith('parentbased_');
  if (sampler.endsWith('always_off')) return { ratio: 0, followsParent };
  if (sampler.endsWith('always_on')) return { ratio: 1, followsParent };
  return { ratio: values['telemetry.otel_sampler_arg'] ?? 1, followsParent };
}

function resourceOf(values: SettingValues): Pick<TelemetryConfig, 'serviceName' | 'resourceAttributes'> {
  const { 'service.name': named, ...resourceAttributes } = {
    ...readPairs(values['telemetry.otel_resource_attributes']),
    ...readPairs(values['telemetry.resource_attributes'].join(',')),
  };
  const serviceName = values['telemetry.service_name'] ?? values['telemetry.otel_service_name'] ?? named ?? 'weir';
  return { serviceName, resourceAttributes };
}

function readPairs(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined || text === '') return {};
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const sign = pair.indexOf('=');
      return [decoded(pair.slice(0, sign).trim()), decoded(pair.slice(sign + 1).trim())];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
