/** The chart, rendered with values as `helm template` does: values are checked by the schema and merged with the defaults. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { Templates, type Value } from './helm-template.ts';

export const chartFolder = join(import.meta.dir, '../../deploy/helm/weir');

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // Each kind has its own fields; a test names the path that it reads.
  // biome-ignore lint/suspicious/noExplicitAny: Kubernetes' types are not a dependency.
  readonly [field: string]: any;
}

const text = (path: string): string => readFileSync(join(chartFolder, path), 'utf8');
const parsed = (path: string) => Bun.YAML.parse(text(path)) as { readonly [key: string]: Value };

export const defaults = parsed('values.yaml');
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(text('values.schema.json')) as object,
);

/** What the schema objects to. */
export function mistakesIn(values: object): string[] {
  validate(merged(defaults, values as { [key: string]: Value }));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Maps are merged, anything else is replaced. */
function merged(below: { readonly [key: string]: Value }, above: { readonly [key: string]: Value }): Value {
  const isMap = (value: Value): value is { readonly [key: string]: Value } =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const result: Record<string, Value> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = result[key];
    result[key] = isMap(old) && isMap(value) ? merged(old, value) : value;
  }
  return result;
}

export interface Rendered {
  readonly manifests: readonly Manifest[];
  readonly notes: string;
  /** Everything that was printed. */
  readonly whole: string;
}

export function render(values: object = {}, kubeVersion = 'v1.31.0', release = 'gate'): Rendered {
  const chart = parsed('Chart.yaml') as Record<'name' | 'version' | 'appVersion', string>;
  const root: Value = {
    Values: merged(defaults, values as { [key: string]: Value }),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'models', Service: 'Helm' },
    Capabilities: { KubeVersion: { Version: kubeVersion } },
  };
  const templates = new Templates();
  const names = readdirSync(join(chartFolder, 'templates')).sort();
  // Definitions are read first, whatever their file is called.
  const read = names.map((name) => [name, templates.read(text(`templates/${name}`))] as const);
  const printed = new Map(read.map(([name, nodes]) => [name, templates.render(nodes, root)]));
  const manifests = [...printed]
    .filter(([name, output]) => name.endsWith('.yaml') && output.trim() !== '')
    .map(([, output]) => Bun.YAML.parse(output) as Manifest);
  return { manifests, notes: printed.get('NOTES.txt') ?? '', whole: [...printed.values()].join('\n') };
}
