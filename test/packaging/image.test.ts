/** The container image: the same inputs give the same bytes, and its root serves as its user on a read-only file system. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Image, writeImage } from '../../scripts/image/image.ts';
import { OciLayout } from '../../scripts/image/oci-layout.ts';
import { type Architecture, baseEntries, imageUser } from '../../scripts/image/root-files.ts';
import { runTool } from '../../scripts/image/run-tool.ts';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { type Container, type ImageConfig, startContainer, whyNoContainer } from './container.ts';
import { executableIn } from './executable.ts';

const architecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const folder = mkdtempSync(join(tmpdir(), 'weir-image-test-'));
const unable = whyNoContainer();
if (unable !== undefined) console.log(`The image is not started here: ${unable}.`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The libraries of this machine, which is a Debian where this runs: fetching packages needs a network. */
const packages = { root: '/', controls: [] };

async function buildIn(name: string, executable: string): Promise<Image & { readonly indexDigest: string }> {
  const layout = new OciLayout(join(folder, name));
  const image = await writeImage(layout, { architecture, executable, packages, compression: 0 });
  return { ...image, indexDigest: layout.writeIndex([image.descriptor], '1.2.3').digest };
}

function readBlob(layout: string, digest: string): Buffer {
  const content = readFileSync(join(folder, layout, 'blobs/sha256', digest.replace('sha256:', '')));
  expect(`sha256:${createHash('sha256').update(content).digest('hex')}`).toBe(digest);
  return content;
}

const readJson = <T>(layout: string, digest: string): T => JSON.parse(readBlob(layout, digest).toString()) as T;

describe('the layout', () => {
  /** A small program, because bytes are what is compared. */
  const program = join(folder, 'program');
  beforeAll(() => writeFileSync(program, 'program'.repeat(1_000)));

  test('two builds of the same inputs are equal, and another executable is another image', async () => {
    const first = await buildIn('first', program);
    const second = await buildIn('second', program);
    expect(second).toEqual(first);
    writeFileSync(join(folder, 'other'), 'another program');
    expect((await buildIn('other-layout', join(folder, 'other'))).indexDigest).not.toBe(first.indexDigest);
  });

  test('every blob has the hash of its name, and index, manifest and configuration name each other', async () => {
    const { descriptor, layers, indexDigest } = await buildIn('named', program);
    const index = JSON.parse(readFileSync(join(folder, 'named/index.json'), 'utf8')) as {
      manifests: { digest: string; annotations: Record<string, string> }[];
    };
    const names = index.manifests.map(({ digest, annotations }) => [Object.values(annotations)[0], digest]);
    expect(names).toEqual([
      ['1.2.3', indexDigest],
      [`1.2.3-${architecture}`, descriptor.digest],
    ]);
    const all = readJson<{ manifests: object[] }>('named', indexDigest);
    expect(all.manifests).toEqual([descriptor]);
    const manifest = readJson<{ config: { digest: string }; layers: object[] }>('named', descriptor.digest);
    expect(manifest.layers).toEqual(layers.map((layer) => layer.descriptor));
    const config = readJson<{ architecture: string; rootfs: { diff_ids: string[] }; config: ImageConfig }>(
      'named',
      manifest.config.digest,
    );
    expect(config.architecture).toBe(architecture);
    // Without compression an archive's two hashes are one.
    expect(config.rootfs.diff_ids).toEqual(layers.map((layer) => layer.descriptor.digest));
    for (const { descriptor: layer } of layers) expect(readBlob('named', layer.digest).length).toBe(layer.size);
    expect(config.config.User).toBe('65532:65532');
    expect(config.config.Healthcheck.Test).toEqual(['CMD', '/usr/bin/weir', 'health']);
  });

  test('a compressed layer has no time and no name in its head, and unpacks to the same archive', async () => {
    const layout = new OciLayout(join(folder, 'gzip'));
    const layer = await layout.writeLayer([{ kind: 'text', path: 'a', mode: 0o644, text: 'text' }], 'one file', 9);
    const bytes = readBlob('gzip', layer.descriptor.digest);
    expect([...bytes.subarray(0, 8)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    const archive = Bun.gunzipSync(new Uint8Array(bytes));
    expect(`sha256:${createHash('sha256').update(archive).digest('hex')}`).toBe(layer.diffId);
    expect(archive.length).toBe(layer.unpackedBytes);
  });

  test('packages leave their control file and license, and libraries are found in both of their places', () => {
    const root = join(folder, 'packages');
    const put = (path: string, text = path): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    for (const name of ['ld-linux-aarch64.so.1', 'libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2'])
      put(`usr/lib/aarch64-linux-gnu/${name}`);
    for (const name of ['libresolv.so.2', 'libgcc_s.so.1']) put(`lib/aarch64-linux-gnu/${name}`);
    put('usr/lib/os-release', 'ID=debian\n');
    put('usr/share/doc/libc6/copyright', 'LGPL');
    symlinkSync('libc6', join(root, 'usr/share/doc/libgcc-s1'));
    const controls = ['libc6', 'libgcc-s1'].map((name) => ({ name, text: `Package: ${name}\n` }));
    const entries = baseEntries('arm64', { root, controls });
    const kinds = new Map(entries.map((entry) => [entry.path, entry.kind]));
    expect(kinds.get('lib/aarch64-linux-gnu/libgcc_s.so.1')).toBe('file');
    expect(kinds.get('lib/ld-linux-aarch64.so.1')).toBe('link');
    expect(kinds.get('var/lib/dpkg/status.d/libgcc-s1')).toBe('text');
    expect(kinds.get('usr/share/doc/libc6/copyright')).toBe('text');
    expect(kinds.get('usr/share/doc/libgcc-s1')).toBe('link');
    // Each path once, and none before its folder.
    expect(kinds.size).toBe(entries.length);
    const late = entries.filter(({ path }, at) => {
      const parent = dirname(path);
      return parent !== '.' && entries.findIndex((other) => other.path === parent) > at;
    });
    expect(late).toEqual([]);
    rmSync(join(root, 'usr/lib/aarch64-linux-gnu/libc.so.6'));
    expect(() => baseEntries('arm64', { root, controls })).toThrow('libc.so.6');
  });
});

describe.skipIf(unable !== undefined)('the root file system', () => {
  const root = join(folder, 'root');
  const volume = join(folder, 'volume');
  const token = `test-token-${crypto.randomUUID()}`;
  let config: ImageConfig;
  let container: Container;
  let url = '';
  beforeAll(async () => {
    const { descriptor, layers } = await buildIn('image', executableIn(folder));
    const manifest = readJson<{ config: { digest: string } }>('image', descriptor.digest);
    config = readJson<{ config: ImageConfig }>('image', manifest.config.digest).config;
    for (const each of [root, volume]) mkdirSync(each);
    chownSync(volume, imageUser, imageUser);
    for (const { descriptor: layer } of layers) {
      const archive = join(folder, 'image/blobs/sha256', layer.digest.replace('sha256:', ''));
      runTool(['tar', '--extract', '--preserve-permissions', '--file', archive, '--directory', root]);
    }
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { WEIR_PORT: `${port}`, WEIR_FIRST_TOKEN: token, WEIR_DISCOVERY_LOCAL: 'false' };
    container = startContainer({ root, volume, config, env });
    const ready = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
    await until(ready, 60_000, 'GET /readyz = 200').catch((error) => {
      throw new Error(`${error instanceof Error ? error.message : error}\n${container.output()}`);
    });
  }, 300_000);
  afterAll(() => container?.kill());

  test('serves as its user without rights, and can write to its volume and nowhere else', async () => {
    const status = await Bun.file(`/proc/${container.pid()}/status`).text();
    expect(/^Uid:\t(\d+)/m.exec(status)?.[1]).toBe(`${imageUser}`);
    expect(/^CapEff:\t0+$/m.test(status)).toBe(true);
    expect(/^NoNewPrivs:\t1$/m.test(status)).toBe(true);
    const mounted = await Bun.file(`/proc/${container.pid()}/mountinfo`).text();
    const options = mounted.split('\n').flatMap((line) => {
      const [, , , , place, flags = ''] = line.split(' ');
      return place === '/' ? [flags.split(',')[0]] : [];
    });
    expect(options).toEqual(['ro']);
    expect(readFileSync(join(volume, 'secret.key')).length).toBeGreaterThan(0);
  });

  test('its health check passes, and fails where no Weir listens', async () => {
    const [, ...check] = config.Healthcheck.Test;
    expect(await container.exec(check)).toEqual({ code: 0, text: '{"status":"ok"}\n' });
    expect(await container.exec([...check, '--ready'])).toEqual({ code: 0, text: '{"status":"ready"}\n' });
    expect((await container.exec(check, { WEIR_PORT: '1' })).code).toBe(1);
  });

  test('serves home page, console and playground with their files', async () => {
    for (const path of ['/', '/console', '/console/playground']) {
      const reply = await fetch(`${url}${path}`);
      expect([path, reply.status, reply.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    }
    const page = await (await fetch(`${url}/console/playground`)).text();
    const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] ?? 'no script';
    expect((await fetch(new URL(script, url))).status).toBe(200);
  });

  test('answers a chat, a stream, and speech, which a thread of its own makes', async () => {
    const call = (path: string, body: object): Promise<Response> =>
      fetch(`${url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const chat = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'What is 6*7?' }] };
    expect(JSON.stringify(await (await call('chat/completions', chat)).json())).toContain('6*7 = 42');
    expect(await (await call('chat/completions', { ...chat, stream: true })).text()).toContain('data: [DONE]');
    const speech = { model: 'sandbox-speak', voice: 'alloy', input: 'hello', response_format: 'mp3' };
    const audio = await (await call('audio/speech', speech)).arrayBuffer();
    expect(audio.byteLength).toBeGreaterThan(1_000);
  });

  test('ends on SIGTERM with exit code 0', async () => {
    expect(await container.stop()).toBe(0);
    expect(container.output()).toContain('shutting down');
  });
});
