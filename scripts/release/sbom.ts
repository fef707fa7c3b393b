/**
 * The bill of materials of a release as CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/ (read 2026-11-17): every npm
 * package whose code is in it, with version, license and hash.
 */

import { createHash } from 'node:crypto';
import type { ReleaseFacts } from './facts.ts';
import type { ShippedPackage } from './shipped-packages.ts';

/** An SPDX expression with more than one license has words between them. */
const isExpression = (license: string): boolean => / (?:AND|OR|WITH) /.test(license);

const types = { server: 'library', console: 'library', runtime: 'platform' } as const;

export function billOfMaterials(facts: ReleaseFacts, packages: readonly ShippedPackage[]): object {
  const root = packageUrl(facts.name, facts.version);
  const urls = new Map(packages.map(({ name, version }) => [name, packageUrl(name, version)]));
  const urlsOf = (names: readonly string[]): string[] => names.flatMap((name) => urls.get(name) ?? []).toSorted();
  const needed = new Set(packages.flatMap(({ needs }) => needs));
  const direct = packages.map(({ name }) => name).filter((name) => !needed.has(name));
  const content = {
    version: 1,
    metadata: {
      timestamp: new Date(facts.seconds * 1_000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': root,
        name: facts.name,
        version: facts.version,
        description: facts.description,
        licenses: [{ license: { id: 'MIT' } }],
        purl: root,
      },
    },
    components: packages.map(componentOf),
    dependencies: [
      { ref: root, dependsOn: urlsOf(direct) },
      ...packages.map(({ name, version, needs }) => ({ ref: packageUrl(name, version), dependsOn: urlsOf(needs) })),
    ],
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    ...content,
  };
}

function componentOf({ name, version, license, integrity, part }: ShippedPackage): object {
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: types[part],
    'bom-ref': packageUrl(name, version),
    ...(scope !== undefined && { group: scope }),
    name: bare,
    version,
    scope: 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex') }],
    licenses: [isExpression(license) ? { expression: license } : { license: { id: license } }],
    purl: packageUrl(name, version),
    properties: [{ name: 'weir:part', value: part }],
  };
}

/** https://github.com/package-url/purl-spec: the @ of a scope is escaped. */
function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** The same content has the same number, so that a release can be built again. Version 8: the bits are our own choice. */
function uuidOf(content: string): string {
  const bytes = createHash('sha256').update(content).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
