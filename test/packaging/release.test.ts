/** What a release consists of beside its executables: manifest and signature, bill of materials, Debian package, unit. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimeVariables } from '../../bin/runtime-variables.js';
import { writeDebianPackage } from '../../scripts/release/debian.ts';
import { project, type ReleaseFacts } from '../../scripts/release/facts.ts';
import { fingerprint, problemsOf, readPublicKey, writeManifest } from '../../scripts/release/manifest.ts';
import { thirdPartyNotices } from '../../scripts/release/notices.ts';
import { billOfMaterials } from '../../scripts/release/sbom.ts';
import { readLock, type ShippedPackage, shippedPackages } from '../../scripts/release/shipped-packages.ts';
import { releaseTargets } from '../../scripts/release/targets.ts';
import { limitRows } from '../../src/settings/limit-settings.ts';
import { needing } from '../harness/needs.ts';

const facts: ReleaseFacts = {
  name: 'weir-gateway',
  version: '1.2.3-rc.1',
  description: 'A gateway.',
  commit: 'c0ffee',
  changed: [],
  seconds: 1_790_000_000,
};
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-release-test-'));
  folders.push(folder);
  return folder;
}

function signedRelease(): string {
  const folder = newFolder();
  writeFileSync(join(folder, 'one.tar.gz'), 'one');
  writeFileSync(join(folder, 'two.deb'), 'two');
  writeManifest(folder, facts, privateKey);
  return folder;
}

describe('the manifest', () => {
  test('a signed release is whole, and names its commit and key', () => {
    const folder = signedRelease();
    expect(problemsOf(folder, publicKey)).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ version: '1.2.3-rc.1', commit: 'c0ffee', key: fingerprint(publicKey) });
    expect(readFileSync(join(folder, 'manifest.json.sig')).length).toBe(64);
  });

  test('the list of hashes is the one that sha256sum checks', () => {
    const check = Bun.spawnSync(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: signedRelease() });
    expect(check.stdout.toString()).toBe('one.tar.gz: OK\ntwo.deb: OK\n');
  });

  test.each<[string, (folder: string) => void, string]>([
    ['a changed file', (folder) => writeFileSync(join(folder, 'two.deb'), 'tww'), 'two.deb is not the released file'],
    ['a missing file', (folder) => rmSync(join(folder, 'two.deb')), 'two.deb is missing'],
    ['an added file', (folder) => writeFileSync(join(folder, 'three'), ''), 'three is not part of the release'],
    ['changed hashes', (folder) => writeFileSync(join(folder, 'SHA256SUMS'), ''), 'SHA256SUMS does not match'],
    ['a removed signature', (folder) => rmSync(join(folder, 'manifest.json.sig')), 'not signed'],
    ['no manifest', (folder) => rmSync(join(folder, 'manifest.json')), 'manifest.json is missing'],
  ])('%s is found', (_, change, problem) => {
    const folder = signedRelease();
    change(folder);
    expect(problemsOf(folder, publicKey)).toEqual([expect.stringContaining(problem)]);
  });

  test('a manifest that was written again with the changed hashes has no valid signature', () => {
    const folder = signedRelease();
    const signature = readFileSync(join(folder, 'manifest.json.sig'));
    writeFileSync(join(folder, 'two.deb'), 'tww');
    writeManifest(folder, facts, generateKeyPairSync('ed25519').privateKey);
    const notOurs = [expect.stringContaining(`not of the key ${fingerprint(publicKey)}`)];
    expect(problemsOf(folder, publicKey)).toEqual(notOurs);
    writeFileSync(join(folder, 'manifest.json.sig'), signature);
    expect(problemsOf(folder, publicKey)).toEqual(notOurs);
  });

  test('without a key the release is unsigned and says so', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'one'), 'one');
    writeManifest(folder, facts, undefined);
    expect(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).key).toBeNull();
    expect(problemsOf(folder, undefined)).toEqual([]);
    expect(problemsOf(folder, publicKey)).toEqual([expect.stringContaining('not signed')]);
  });

  test('a key of another kind is refused with the command that makes one', () => {
    const file = join(newFolder(), 'key.pem');
    const { publicKey: other } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    writeFileSync(file, other.export({ type: 'spki', format: 'pem' }));
    expect(() => readPublicKey(file)).toThrow('openssl genpkey -algorithm ed25519');
  });
});

describe('the bill of materials', () => {
  let packages: readonly ShippedPackage[];

  beforeAll(async () => {
    packages = await shippedPackages(
      readLock(),
      releaseTargets.map(({ runtime }) => runtime),
    );
  });

  test('it has every dependency of the server, what the console bundles, and a runtime for each platform', () => {
    const names = packages.map(({ name }) => name);
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    for (const name of [...Object.keys(dependencies), 'react', 'scheduler', 'tailwindcss'])
      expect(names).toContain(name);
    expect(packages.filter(({ part }) => part === 'runtime')).toHaveLength(releaseTargets.length);
    for (const name of ['typescript', 'openai', 'playwright-core', '@types/react']) expect(names).not.toContain(name);
  });

  test('each component has what CycloneDX 1.6 demands, and every reference leads to a component', () => {
    const bill = billOfMaterials(facts, packages) as {
      serialNumber: string;
      metadata: { component: Record<string, string> };
      components: readonly Record<string, unknown>[];
      dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
    };
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const refs = new Set([bill.metadata.component['bom-ref'], ...bill.components.map((one) => one['bom-ref'])]);
    expect(refs.size).toBe(bill.components.length + 1);
    for (const component of bill.components) {
      expect(component).toEqual({
        type: expect.stringMatching(/^(library|platform)$/),
        'bom-ref': component['purl'],
        ...(component['group'] !== undefined && { group: expect.stringMatching(/^@[\w-]+$/) }),
        name: expect.stringMatching(/^[\w.-]+$/),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        scope: 'required',
        hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
        licenses: [{ license: { id: expect.stringMatching(/^[\w.-]+$/) } }],
        purl: expect.stringMatching(/^pkg:npm\/(%40[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/),
        properties: [{ name: 'weir:part', value: expect.any(String) }],
      });
    }
    expect(new Set(bill.dependencies.map(({ ref }) => ref))).toEqual(refs as Set<string>);
    expect(bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
    expect(billOfMaterials(facts, packages)).toEqual(bill);
  });

  test('the notices have the license of each package', () => {
    const notices = thirdPartyNotices(packages);
    const missing = packages.filter(({ name, version }) => !notices.includes(`\n${name} ${version} (`));
    expect(missing.map(({ part }) => part)).toEqual(releaseTargets.map(() => 'runtime'));
    expect(notices).toContain('JavaScriptCore');
    expect(notices.split('Permission is hereby granted').length).toBeGreaterThan(20);
  });
});

const debian = needing('dpkg-deb');

debian.describe('the Debian package', () => {
  let file: string;
  const asked = (...words: string[]) => Bun.spawnSync(['dpkg-deb', ...words]).stdout.toString();

  debian.beforeAll(() => {
    const folder = newFolder();
    const scratch = join(folder, 'files');
    mkdirSync(scratch);
    const executable = join(folder, 'weir');
    writeFileSync(executable, '#!/bin/sh\n');
    const options = { facts, architecture: 'arm64', executable, notices: 'None.\n\nReally.', scratch, folder };
    file = writeDebianPackage({ ...options, compression: ['-Znone'] });
  });

  debian.test('says what it is, and a prerelease sorts before its release', () => {
    expect(file).toEndWith('/weir-gateway_1.2.3~rc.1_arm64.deb');
    const control = asked('--field', file);
    expect(control).toContain('Package: weir-gateway\nVersion: 1.2.3~rc.1\nArchitecture: arm64\n');
    expect(control).toContain('Depends: libc6 (>= 2.17)');
  });

  debian.test('has the executable, the unit, the user and a configuration that upgrades keep', () => {
    const lines = asked('--contents', file).trim().split('\n');
    const entries = lines.map((line) => line.split(/\s+/)).filter(([mode = '']) => mode.startsWith('-'));
    expect(entries.map(([mode, owner, , , , path]) => [path, mode, owner]).toSorted()).toEqual([
      ['./etc/weir/weir.env', '-rw-------', 'root/root'],
      ['./etc/weir/weir.yaml', '-rw-r--r--', 'root/root'],
      ['./usr/bin/weir', '-rwxr-xr-x', 'root/root'],
      ['./usr/lib/systemd/system/weir.service', '-rw-r--r--', 'root/root'],
      ['./usr/lib/sysusers.d/weir.conf', '-rw-r--r--', 'root/root'],
      ['./usr/share/doc/weir-gateway/CHANGELOG.md.gz', '-rw-r--r--', 'root/root'],
      ['./usr/share/doc/weir-gateway/changelog.gz', '-rw-r--r--', 'root/root'],
      ['./usr/share/doc/weir-gateway/copyright', '-rw-r--r--', 'root/root'],
      ['./usr/share/doc/weir-gateway/examples/weir.example.yaml', '-rw-r--r--', 'root/root'],
    ]);
    expect(asked('--info', file, 'conffiles')).toBe('/etc/weir/weir.env\n/etc/weir/weir.yaml\n');
  });

  debian.test('its scripts are valid, and keep the data', () => {
    for (const name of ['postinst', 'prerm', 'postrm']) {
      const script = asked('--info', file, name);
      expect(Bun.spawnSync(['sh', '-n'], { stdin: new TextEncoder().encode(script) }).exitCode).toBe(0);
      expect(script).not.toContain('rm -');
    }
  });
});

describe('the unit of systemd', () => {
  const unit = readFileSync(join(project, 'deploy/systemd/weir.service'), 'utf8');
  const settingOf = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  test('waits longer than Weir drains, and sets variables that Weir reads', () => {
    const drainMs = limitRows['clocks.drain_ms'].default + limitRows['clocks.drain_delay_ms'].default;
    expect(Number(settingOf('TimeoutStopSec')) * 1_000).toBeGreaterThanOrEqual(drainMs + 15_000);
    expect(settingOf('KillSignal')).toBe('SIGTERM');
    const variables = Object.fromEntries([...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, ...pair]) => pair));
    expect(Object.keys(variables).slice(0, 2)).toEqual(['WEIR_DATA', 'WEIR_CONFIG']);
    expect(variables).toMatchObject(runtimeVariables);
    const image = readFileSync(join(project, 'Dockerfile'), 'utf8');
    for (const [name, value] of Object.entries(runtimeVariables)) expect(image).toContain(` ${name}=${value}`);
  });

  const systemd = needing('systemd-analyze');

  systemd.test('systemd accepts every line of it', () => {
    const file = join(newFolder(), 'weir.service');
    writeFileSync(file, unit.replace('ExecStart=/usr/bin/weir', `ExecStart=${process.execPath}`));
    const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', file]);
    expect([
      exitCode,
      stderr
        .toString()
        .split('\n')
        .filter((line) => line.includes('weir.service')),
    ]).toEqual([0, []]);
  });
});
