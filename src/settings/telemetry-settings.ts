/** Settings of OpenTelemetry: where traces, metrics and logs are exported, how, and how much of them. */

import { clock, largeBytes, optional, row } from './setting-row.ts';
import { boolean, choice, httpAddress, list, pairs, ratio, text } from './values.ts';

const collector = httpAddress('an http or https URL without credentials or query, such as http://localhost:4318');
const secretText = {
  secret: true,
  sentTo: ['telemetry.endpoint', 'telemetry.otel_endpoint'],
  variableOnly: true,
} as const;
const headers = 'headers as name=value, separated by commas';
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const telemetryRows = {
  'telemetry.endpoint': optional(collector, {
    example: 'http://localhost:4318',
    meaning:
      'Base URL of an OpenTelemetry collector (OTLP over HTTP). Default: `OTEL_EXPORTER_OTLP_ENDPOINT`. Without one, nothing is exported.',
  }),
  'telemetry.headers': optional(pairs(headers), {
    ...secretText,
    meaning:
      'HTTP headers for the collector, such as `authorization=Bearer%20…`. Default: `OTEL_EXPORTER_OTLP_HEADERS`.',
  }),
  'telemetry.protocol': optional(choice(['http/protobuf', 'http/json']), {
    example: 'http/json',
    meaning: 'Encoding. Default: `OTEL_EXPORTER_OTLP_PROTOCOL`, otherwise protobuf.',
  }),
  'telemetry.compression': optional(choice(['none', 'gzip']), {
    example: 'gzip',
    meaning:
      'Compression. gzip costs more processor time than the rest of telemetry. Default: `OTEL_EXPORTER_OTLP_COMPRESSION`, otherwise `none`.',
  }),
  'telemetry.traces': row(boolean(), true, { meaning: 'Export a span of each request and of each attempt.' }),
  'telemetry.metrics': row(boolean(), true, { meaning: 'Export the figures of `/metrics` and the GenAI histograms.' }),
  'telemetry.logs': row(boolean(), true, {
    meaning: 'Export log lines, with the trace of the request they belong to.',
  }),
  'telemetry.content': row(boolean(), false, {
    meaning:
      'Export request and response content as log events, if `content_storage.requests` is on. The collector gets it unencrypted.',
  }),
  'telemetry.propagate': row(boolean(), true, {
    meaning: 'Send `traceparent` and `tracestate` to providers while telemetry is on.',
  }),
  'telemetry.sample_ratio': optional(ratio(), {
    example: 0.1,
    meaning:
      'Share of traces to export, 0 to 1. Requests with a `traceparent` follow its flag. Default: `OTEL_TRACES_SAMPLER`, otherwise 1.',
  }),
  'telemetry.service_name': optional(text(1, 'a name'), {
    example: 'weir-production',
    meaning: 'Service name. Default: `OTEL_SERVICE_NAME`, otherwise `weir`.',
  }),
  'telemetry.resource_attributes': row(
    list(() => pairs('').schema, 'a list of attributes such as team=ml'),
    [],
    {
      example: ['deployment.environment.name=production'],
      meaning: 'Resource attributes. Default: `OTEL_RESOURCE_ATTRIBUTES`.',
    },
  ),
  'telemetry.batch_ms': clock(5_000, 'How long spans and log lines wait for others, at most.'),
  'telemetry.metrics_ms': clock(60_000, 'Interval between exports of metrics.'),
  'telemetry.timeout_ms': clock(10_000, 'Timeout for one export.'),
  'telemetry.queue_bytes_max': largeBytes(
    16_777_216,
    'Max memory for spans, and the same for log lines, that wait for the collector. What exceeds it is dropped.',
  ),
  'telemetry.otel_disabled': row(boolean(), false, {
    variable: 'OTEL_SDK_DISABLED',
    variableOnly: true,
    meaning: 'Export nothing.',
  }),
  'telemetry.otel_endpoint': optional(collector, {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    variableOnly: true,
    meaning: 'Base URL of the collector, if `telemetry.endpoint` is not set.',
  }),
  'telemetry.otel_headers': optional(pairs(headers), {
    ...secretText,
    variable: 'OTEL_EXPORTER_OTLP_HEADERS',
    meaning: 'HTTP headers for the collector, if `telemetry.headers` is not set.',
  }),
  'telemetry.otel_protocol': optional(text(1, 'http/protobuf or http/json'), {
    variable: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    variableOnly: true,
    meaning: 'Encoding, if `telemetry.protocol` is not set. gRPC is not supported.',
  }),
  'telemetry.otel_compression': optional(choice(['none', 'gzip']), {
    variable: 'OTEL_EXPORTER_OTLP_COMPRESSION',
    variableOnly: true,
    meaning: 'Compression, if `telemetry.compression` is not set.',
  }),
  'telemetry.otel_service_name': optional(text(1, 'a name'), {
    variable: 'OTEL_SERVICE_NAME',
    variableOnly: true,
    meaning: 'Service name, if `telemetry.service_name` is not set.',
  }),
  'telemetry.otel_resource_attributes': optional(pairs('attributes as name=value, separated by commas'), {
    variable: 'OTEL_RESOURCE_ATTRIBUTES',
    variableOnly: true,
    meaning: 'Resource attributes; those of `telemetry.resource_attributes` take precedence.',
  }),
  'telemetry.otel_sampler': optional(choice(samplers), {
    variable: 'OTEL_TRACES_SAMPLER',
    variableOnly: true,
    meaning: 'Sampler, if `telemetry.sample_ratio` is not set.',
  }),
  'telemetry.otel_sampler_arg': optional(ratio(), {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    variableOnly: true,
    meaning: 'Share of traces, for samplers with a ratio.',
  }),
} as const;
