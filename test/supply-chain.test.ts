/** What `npm ci` installs: every package by its hash, few that run anything while they are installed, and hardly any in the server. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

test('every package is known by its hash, and none names a registry of its own', () => {
  const loose = packages.filter(
    ([, { resolved, integrity = '' }]) => resolved !== undefined || !integrity.startsWith('sha512-'),
  );
  expect(loose.map(([path]) => path)).toEqual([]);
});

test('only these run a script while they are installed, and the server needs none of them to', () => {
  const running = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(running.map(([path]) => nameOf(path)).toSorted()).toEqual(['@google/genai', 'bun', 'protobufjs']);
  // Bun's only puts its program in the place of a stub; `bin/weir.js` finds the program without it.
  const inServer = running.filter(([, { dev }]) => dev !== true);
  expect(inServer.map(([path]) => nameOf(path))).toEqual(['bun']);
});

test('the server has the packages that decision 0005 lists, and those of Bun for each platform', () => {
  const inServer = packages.filter(([, { dev, optional }]) => dev !== true && optional !== true);
  const listed = readFileSync('docs/decisions/0005-dependencies.md', 'utf8');
  expect(inServer.map(([path]) => nameOf(path)).filter((name) => !listed.includes(name))).toEqual([]);
  expect(inServer.length).toBeLessThanOrEqual(10);
});
