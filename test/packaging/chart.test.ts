/** The Helm chart: what it renders for several values, and that its parts fit each other and Weir. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageUser } from '../../scripts/image/root-files.ts';
import { type HealthParts, healthRoutes } from '../../src/endpoints/health.ts';
import { settingList } from '../../src/settings/settings.ts';
import { chartFolder, defaults, type Manifest, mistakesIn, type Rendered, render } from './chart.ts';
import { everything, little, valueSets } from './chart-values.ts';
import { ChartError, Templates } from './helm-template.ts';

const only = ({ manifests }: Rendered, kind: string): Manifest => {
  const found = manifests.filter((each) => each.kind === kind);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0] as Manifest;
};
const podOf = (manifest: Manifest) => manifest['spec'].template.spec;
const containerOf = (manifest: Manifest) => podOf(manifest).containers[0];

describe.each(Object.entries(valueSets))('with values %s', (_, values) => {
  const rendered = render(values);
  const deployment = only(rendered, 'Deployment');
  const withPods = rendered.manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');

  test('the schema accepts the values, and every manifest has a kind, a name and its labels', () => {
    expect(mistakesIn(values)).toEqual([]);
    for (const { apiVersion, kind, metadata } of rendered.manifests) {
      expect(apiVersion).toMatch(/^([a-z.0-9]+\/)?v\d/);
      expect(kind).toMatch(/^[A-Z]/);
      expect(metadata.name).toStartWith('gate-weir');
      expect(metadata.labels['app.kubernetes.io/instance']).toBe('gate');
    }
    const ids = rendered.manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every selector matches the pods of the deployment and no pod of the job', () => {
    const pods = (manifest: Manifest): Record<string, string> => manifest['spec'].template.metadata.labels;
    const matches = (selector: Record<string, string>, labels: Readonly<Record<string, string>>): boolean =>
      Object.entries(selector).every(([key, value]) => labels[key] === value);
    const selectors = rendered.manifests.flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [spec.selector];
      if (kind === 'NetworkPolicy') return [spec.podSelector.matchLabels];
      if (['Deployment', 'PodDisruptionBudget'].includes(kind)) return [spec.selector.matchLabels];
      return [];
    });
    const spreads = podOf(deployment).topologySpreadConstraints ?? [];
    selectors.push(
      ...spreads.map((each: { labelSelector: { matchLabels: object } }) => each.labelSelector.matchLabels),
    );
    expect(selectors.length).toBeGreaterThan(1);
    for (const selector of selectors) {
      expect(matches(selector, pods(deployment))).toBe(true);
      for (const job of withPods.filter(({ kind }) => kind === 'Job')) expect(matches(selector, pods(job))).toBe(false);
    }
    const monitor = rendered.manifests.find(({ kind }) => kind === 'ServiceMonitor');
    if (monitor !== undefined)
      expect(matches(monitor['spec'].selector.matchLabels, only(rendered, 'Service').metadata.labels)).toBe(true);
  });

  test('probes, service, monitor and policy name paths and ports that Weir has', () => {
    const paths = healthRoutes({} as HealthParts).map(({ path }) => path);
    const container = containerOf(deployment);
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet);
    expect(probes.map(({ path }) => path)).toEqual(['/readyz', '/healthz', '/readyz']);
    for (const { path, port } of probes) expect([paths.includes(path), port]).toEqual([true, 'http']);
    const port = settingList.find(({ key }) => key === 'server.port')?.default;
    expect(container.ports).toEqual([{ name: 'http', containerPort: port }]);
    expect(only(rendered, 'Service')['spec'].ports[0].targetPort).toBe('http');
    for (const { kind, spec } of rendered.manifests) {
      if (kind === 'ServiceMonitor') expect(paths).toContain(spec.endpoints[0].path);
      if (kind === 'NetworkPolicy') expect(spec.ingress[0].ports).toEqual([{ protocol: 'TCP', port: 'http' }]);
    }
  });

  test('every container runs without rights on a read-only root, as the image’s user', () => {
    for (const manifest of withPods) {
      const { securityContext, automountServiceAccountToken, containers } = podOf(manifest);
      expect(securityContext).toEqual({
        runAsNonRoot: true,
        runAsUser: imageUser,
        runAsGroup: imageUser,
        fsGroup: imageUser,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(automountServiceAccountToken).toBe(false);
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toEqual(defaults['resources']);
        const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
        const volumes = podOf(manifest).volumes.map(({ name }: { name: string }) => name);
        expect(mounted).toEqual(volumes);
        expect(mounted).toContain('data');
      }
    }
  });

  test('variables are settings of Weir, and secrets come by reference alone', () => {
    const known = new Set(settingList.map(({ variable }) => variable));
    for (const manifest of withPods) {
      for (const { name, value, valueFrom } of containerOf(manifest).env) {
        expect([name, known.has(name)]).toEqual([name, true]);
        const isSecret = /_URL$|SECRET|PASSWORD/.test(name) && name !== 'WEIR_SERVER_PUBLIC_URL';
        expect([name, value === undefined]).toEqual([name, isSecret]);
        if (isSecret) expect(Object.keys(valueFrom.secretKeyRef).sort()).toEqual(['key', 'name']);
        else expect(typeof value).toBe('string');
      }
    }
    expect(rendered.manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(rendered.whole).not.toMatch(/postgres:\/\/|redis:\/\//);
  });

  test('a pod has the time that its requests need to end', () => {
    const { lifecycle, env } = containerOf(deployment);
    const ms = (name: string): number => Number(env.find((each: { name: string }) => each.name === name).value);
    const stopping = (lifecycle?.preStop.sleep.seconds ?? 0) * 1_000;
    const needed = stopping + ms('WEIR_CLOCKS_DRAIN_DELAY_MS') + ms('WEIR_CLOCKS_DRAIN_MS') + 5_000;
    expect(podOf(deployment).terminationGracePeriodSeconds * 1_000).toBe(needed);
  });
});

describe('values', () => {
  test('defaults: three replicas that are replaced one by one after the migration', () => {
    const rendered = render();
    const { spec } = only(rendered, 'Deployment');
    expect([spec.replicas, spec.strategy.rollingUpdate]).toEqual([3, { maxUnavailable: 0, maxSurge: 1 }]);
    const job = only(rendered, 'Job');
    expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(containerOf(job).args).toEqual(['migrate']);
    // The hook runs before the other manifests exist.
    expect(podOf(job).serviceAccountName).toBeUndefined();
    expect(rendered.manifests.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'Job',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
    expect(rendered.notes).toContain('weir set-up-link');
  });

  test('everything: autoscaling instead of a number, and every reference in its place', () => {
    const rendered = render(everything);
    const deployment = only(rendered, 'Deployment');
    expect(deployment['spec'].replicas).toBeUndefined();
    expect(only(rendered, 'HorizontalPodAutoscaler')['spec'].scaleTargetRef.name).toBe(deployment.metadata.name);
    expect(containerOf(deployment).envFrom).toEqual([{ secretRef: { name: 'weir-providers' } }]);
    const config = Bun.YAML.parse(only(rendered, 'ConfigMap')['data']['weir.yaml']);
    expect(config).toEqual(everything.config);
    const rules = only(rendered, 'Ingress')['spec'].rules;
    expect(rules.map(({ host }: { host: string }) => host)).toEqual(everything.ingress.hosts);
    expect(rules[0].http.paths[0].backend.service.name).toBe(only(rendered, 'Service').metadata.name);
    expect(only(rendered, 'NetworkPolicy')['spec'].egress[0].ports.length).toBe(5);
    expect(podOf(deployment).serviceAccountName).toBe(only(rendered, 'ServiceAccount').metadata.name);
    expect(rendered.notes).not.toContain('set-up-link');
  });

  test('an older Kubernetes gets no preStop that it does not know', () => {
    expect(containerOf(only(render({}, 'v1.29.4'), 'Deployment')).lifecycle).toBeUndefined();
    expect(containerOf(only(render({}, 'v1.30.0-eks-1'), 'Deployment')).lifecycle).toBeDefined();
  });

  test('a digest takes precedence over the tag, and a release that is called weir is not called twice', () => {
    expect(containerOf(only(render(little), 'Deployment')).image).toBe(`weir@sha256:${'0'.repeat(64)}`);
    expect(only(render({}, 'v1.31.0', 'weir'), 'Deployment').metadata.name).toBe('weir');
  });

  test('a change of the configuration replaces the pods', () => {
    const sum = (values: object): string =>
      only(render(values), 'Deployment')['spec'].template.metadata.annotations['checksum/config'];
    expect(sum({ config: { log: { level: 'warn' } } })).not.toBe(sum({}));
  });

  test('secrets as text are refused, by the templates and by the schema', () => {
    const refused = [
      { config: { providers: { a: { key: 'sk-1' } } } },
      { config: { providers: { a: { keys: ['sk-1'] } } } },
      { config: { providers: { a: { keys: [{ key_env: 'A' }, { key: 'sk-1' }] } } } },
      { config: { redis_url: 'redis://:secret@host' } },
      { config: { database: { url: 'postgres://weir:secret@host/weir' } } },
    ];
    for (const values of refused) expect(() => render(values)).toThrow(ChartError);
    expect(mistakesIn({ env: { WEIR_SECRET_KEY: 'x' } }).length).toBeGreaterThan(0);
    expect(mistakesIn({ database: { url: 'postgres://weir:secret@host/weir' } }).length).toBeGreaterThan(0);
  });

  test('what is missing is named', () => {
    expect(() => render({ ingress: { enabled: true } })).toThrow('ingress.hosts');
    expect(() => render({ serviceMonitor: { enabled: true } })).toThrow('serviceMonitor.tokenSecret.name');
    expect(mistakesIn({ database: { existingSecret: '' } }).length).toBeGreaterThan(0);
    expect(mistakesIn({ replicas: 3 })).toEqual([' must NOT have additional properties']);
  });

  test('the schema knows every default and nothing else, and versions are those of the package', () => {
    const schema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8'));
    expect(Object.keys(schema.properties).sort()).toEqual([...Object.keys(defaults), 'global'].sort());
    const { version } = JSON.parse(readFileSync(join(import.meta.dir, '../../package.json'), 'utf8'));
    const chart = Bun.YAML.parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as Record<string, string>;
    expect(chart['appVersion']).toBe(version);
  });
});

describe('the renderer', () => {
  const print = (source: string, values: object = {}): string => {
    const templates = new Templates();
    return templates.render(templates.read(source), values as never);
  };

  test('follows Go’s templates in what it knows', () => {
    expect(print('a {{- if .x }} b {{- else }} c {{- end }} d', { x: 0 })).toBe('a c d');
    expect(print('{{ range $k, $v := .m }}{{ $k }}={{ $v }};{{ end }}', { m: { b: 2, a: 1 } })).toBe('a=1;b=2;');
    expect(print('{{ with .m }}{{ .a }}{{ $.z }}{{ end }}', { m: { a: 1 }, z: 9 })).toBe('19');
    expect(print('{{ printf "%s-%s" .a (default "x" .b) | trunc 3 | quote }}', { a: 'ab', b: '' })).toBe('"ab-"');
    expect(print('{{- define "d" -}} {{ .a }} {{- end -}} {{ include "d" .m | nindent 2 }}', { m: { a: 'x' } })).toBe(
      '\n  x',
    );
  });

  test('refuses what it does not know', () => {
    for (const source of [
      '{{ lookup "v1" }}',
      '{{ .a.b }}',
      '{{ .a }}',
      '{{ $x }}',
      '{{ if .a }}',
      '{{ end }}',
      '{{.a}}',
    ])
      expect(() => print(source)).toThrow();
  });
});
