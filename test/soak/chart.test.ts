/** The chart as Helm itself renders it, where it is installed: the same manifests as the renderer of the other tests gives. */

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chartFolder, type Manifest, render } from '../packaging/chart.ts';
import { valueSets } from '../packaging/chart-values.ts';

const helm = Bun.which('helm');

describe.skipIf(helm === null)('helm template', () => {
  test.each(Object.entries(valueSets))('gives the same manifests with values %s', async (_, values) => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-chart-'));
    try {
      await Bun.write(join(folder, 'values.json'), JSON.stringify(values));
      const words = ['template', 'gate', chartFolder, '--namespace', 'models', '--kube-version', '1.31.0'];
      const done = Bun.spawnSync([helm ?? '', ...words, '--values', join(folder, 'values.json')]);
      expect(done.stderr.toString()).toBe('');
      const theirs = done.stdout
        .toString()
        .split(/^---$/m)
        .filter((text) => /^kind:/m.test(text))
        .map((text) => Bun.YAML.parse(text) as Manifest);
      expect(theirs.map(comparable).sort()).toEqual(render(values).manifests.map(comparable).sort());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The text of a configuration is YAML there and JSON here, and so its hash differs. */
function comparable(manifest: Manifest): string {
  const copy = structuredClone(manifest) as Record<string, unknown> & Manifest;
  if (manifest.kind === 'ConfigMap') Object.assign(copy, { data: Bun.YAML.parse(manifest['data']['weir.yaml']) });
  if (manifest.kind === 'Deployment') copy['spec'].template.metadata.annotations['checksum/config'] = '';
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => [key, sorted(inner)]),
    );
  };
  return JSON.stringify(sorted(copy));
}
