/** Writes an OCI image layout (https://github.com/opencontainers/image-spec, version 1.1): blobs by their hash and an index. */

import { createHash } from 'node:crypto';
import { mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { runtimeVariables } from '../../bin/runtime-variables.js';
import { type Architecture, imageUser } from './root-files.ts';
import { type Entry, tarOf } from './tar.ts';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: Architecture; readonly os: 'linux'; readonly variant?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Layer {
  readonly descriptor: Descriptor;
  /** The hash of the archive before compression, by which a configuration names its layers. */
  readonly diffId: string;
  readonly unpackedBytes: number;
  readonly comment: string;
}

export interface ImageFacts {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
  readonly labels: Readonly<Record<string, string>>;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** 0 writes the archive without compression, which takes no processor time: for tests. */
export type Compression = 0 | 6 | 9;

const types = {
  layer: 'application/vnd.oci.image.layer.v1.tar',
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
} as const;

const second = 1_000_000_000;

export class OciLayout {
  readonly #folder: string;
  readonly #blobs: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#blobs = join(folder, 'blobs/sha256');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(this.#blobs, { recursive: true });
  }

  async writeLayer(entries: readonly Entry[], comment: string, compression: Compression): Promise<Layer> {
    const partial = join(this.#folder, 'partial');
    const [whole, written] = [createHash('sha256'), createHash('sha256')];
    let unpackedBytes = 0;
    const archive = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of tarOf(entries)) {
        whole.update(chunk);
        unpackedBytes += chunk.length;
        yield chunk;
      }
    };
    const bytes =
      compression === 0 ? archive() : Readable.from(archive()).pipe(createGzip({ level: compression, memLevel: 9 }));
    const file = openSync(partial, 'w');
    for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
      written.update(chunk);
      writeSync(file, chunk);
    }
    const hash = written.digest('hex');
    renameSync(partial, join(this.#blobs, hash));
    const size = statSync(join(this.#blobs, hash)).size;
    const mediaType = compression === 0 ? types.layer : `${types.layer}+gzip`;
    const diffId = `sha256:${whole.digest('hex')}`;
    return { descriptor: { mediaType, digest: `sha256:${hash}`, size }, diffId, unpackedBytes, comment };
  }

  writeImage(facts: ImageFacts): Descriptor {
    const { architecture, layers, labels } = facts;
    const config = this.#writeJson(types.config, configOf(facts));
    const manifest = this.#writeJson(types.manifest, {
      schemaVersion: 2,
      mediaType: types.manifest,
      config,
      layers: layers.map(({ descriptor }) => descriptor),
      annotations: labels,
    });
    const variant = architecture === 'arm64' ? { variant: 'v8' } : {};
    return { ...manifest, platform: { architecture, os: 'linux', ...variant } };
  }

  /** The name leads to the image of every architecture, and the name with an architecture to that one alone. */
  writeIndex(images: readonly Descriptor[], name: string): Descriptor {
    const index = { schemaVersion: 2, mediaType: types.index, manifests: images };
    const all = this.#writeJson(types.index, index);
    const named = (descriptor: Descriptor, ref: string): Descriptor => ({
      ...descriptor,
      annotations: { 'org.opencontainers.image.ref.name': ref },
    });
    const each = images.map((image) => named(image, `${name}-${image.platform?.architecture}`));
    writeFileSync(join(this.#folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    writeFileSync(
      join(this.#folder, 'index.json'),
      JSON.stringify({ schemaVersion: 2, mediaType: types.index, manifests: [named(all, name), ...each] }),
    );
    return all;
  }

  #writeJson(mediaType: string, value: unknown): Descriptor {
    const content = Buffer.from(JSON.stringify(value));
    const hash = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(this.#blobs, hash), content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length };
  }
}

function configOf({ architecture, layers, labels, createdAt }: ImageFacts): object {
  return {
    created: createdAt,
    architecture,
    ...(architecture === 'arm64' && { variant: 'v8' }),
    os: 'linux',
    config: {
      // By number: an orchestrator that demands a user without rights cannot judge a name.
      User: `${imageUser}:${imageUser}`,
      ExposedPorts: { '8787/tcp': {} },
      Env: [
        'PATH=/usr/bin',
        'HOME=/data',
        'WEIR_HOST=0.0.0.0',
        'WEIR_DATA=/data',
        ...Object.entries(runtimeVariables).map(([name, value]) => `${name}=${value}`),
      ],
      Entrypoint: ['/usr/bin/weir'],
      Cmd: ['serve'],
      Volumes: { '/data': {} },
      // An optional weir.yaml is mounted here.
      WorkingDir: '/etc/weir',
      Labels: labels,
      StopSignal: 'SIGTERM',
      // Docker's extension of the specification; others ignore it.
      Healthcheck: {
        Test: ['CMD', '/usr/bin/weir', 'health'],
        Interval: 30 * second,
        Timeout: 10 * second,
        StartPeriod: 30 * second,
        Retries: 3,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ comment }) => ({ created: createdAt, created_by: 'scripts/image', comment })),
  };
}
