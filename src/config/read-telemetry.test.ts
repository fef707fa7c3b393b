import { describe, expect, test } from 'bun:test';
import { loadConfig } from './load.ts';
import { ConfigError } from './problem.ts';

function load(environment: Readonly<Record<string, string>>, file = '') {
  const sources = { environment, workingFolder: '/srv', readFile: () => file || undefined };
  return loadConfig(sources);
}

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' };

describe('telemetry', () => {
  test('is off without an endpoint, and where the SDK is disabled', () => {
    expect(load({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).telemetry).toBeUndefined();
    expect(load({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).telemetry).toBeUndefined();
  });

  test('takes the usual variables', () => {
    const { telemetry } = load({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a, x-team = ml',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=ml,region=eu',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(telemetry).toMatchObject({
      ...{ endpoint: 'http://localhost:4318', protocol: 'http/json', gzip: true, serviceName: 'other' },
      headers: { authorization: 'Bearer a', 'x-team': 'ml' },
      resourceAttributes: { team: 'ml', region: 'eu' },
      sampling: { ratio: 0.25, followsParent: false },
    });
  });

  test('its own settings come first', () => {
    const own = `telemetry:
  endpoint: https://collector.example
  protocol: http/protobuf
  sample_ratio: 0.5
  service_name: mine
  resource_attributes: [team=web]
`;
    const usual = {
      ...endpoint,
      OTEL_SERVICE_NAME: 'theirs',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_RESOURCE_ATTRIBUTES: 'team=ml,region=eu',
      OTEL_TRACES_SAMPLER: 'always_off',
    };
    expect(load(usual, own).telemetry).toMatchObject({
      ...{ endpoint: 'https://collector.example', protocol: 'http/protobuf', serviceName: 'mine' },
      resourceAttributes: { team: 'web', region: 'eu' },
      sampling: { ratio: 0.5, followsParent: true },
    });
  });

  test('samplers', () => {
    const sampling = (sampler: string, arg?: string) =>
      load({ ...endpoint, OTEL_TRACES_SAMPLER: sampler, ...(arg !== undefined && { OTEL_TRACES_SAMPLER_ARG: arg }) })
        .telemetry?.sampling;
    expect(load(endpoint).telemetry?.sampling).toEqual({ ratio: 1, followsParent: true });
    expect(sampling('always_off')).toEqual({ ratio: 0, followsParent: false });
    expect(sampling('parentbased_always_off')).toEqual({ ratio: 0, followsParent: true });
    expect(sampling('parentbased_traceidratio', '0.1')).toEqual({ ratio: 0.1, followsParent: true });
    expect(sampling('traceidratio')).toEqual({ ratio: 1, followsParent: false });
  });

  test('what it cannot do is refused with the next step, and a secret is never shown', () => {
    const problem = (environment: Readonly<Record<string, string>>): string => {
      try {
        load({ ...endpoint, ...environment });
        return 'accepted';
      } catch (error) {
        return error instanceof ConfigError ? error.message : String(error);
      }
    };
    expect(problem({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatch(/found "grpc".*port 4318/);
    expect(problem({ OTEL_EXPORTER_OTLP_HEADERS: 'canary-without-a-sign' })).toMatch(/OTEL_EXPORTER_OTLP_HEADERS/);
    expect(problem({ OTEL_EXPORTER_OTLP_HEADERS: 'canary-without-a-sign' })).not.toContain('canary');
    expect(problem({ OTEL_TRACES_SAMPLER_ARG: '1.5' })).toContain('a number from 0 to 1');
    expect(problem({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' })).toContain('http://localhost:4318');
    const shown = load({ ...endpoint, WEIR_TELEMETRY_HEADERS: 'authorization=canary' }).settings;
    expect(JSON.stringify(shown)).not.toContain('canary');
  });
});
