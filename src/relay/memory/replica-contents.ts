/**
 * Content that one replica made and another may need: sealed in the shared database, for a short time and up to a
 * size for each token and in all. A single process does not need it.
 */

import type { Sealing } from '../../secrets/sealing.ts';

interface ReplicaTable {
  put(row: {
    readonly tokenId: string;
    readonly id: string;
    readonly kind: string;
    readonly content: string;
    readonly bytes: number;
    readonly atMs: number;
    readonly expiresAtMs: number;
  }): Promise<void>;
  get(tokenId: string, ids: readonly string[], nowMs: number): Promise<ReadonlyMap<string, string>>;
  trim(kind: string, tokenBytesMax: number, bytesMax: number): Promise<void>;
}

export interface ReplicaLimits {
  readonly lifetimeMs: number;
  readonly tokenBytesMax: number;
  readonly bytesMax: number;
}

interface ReplicaContentsOptions {
  readonly table: ReplicaTable;
  readonly sealing: Sealing;
  readonly kind: 'reply' | 'seals' | 'items';
  readonly limits: ReplicaLimits;
  wallMs(): number;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** A reply waits at most this long for its content to be shared. */
const patienceMs = 1_000;
/** Each replica looks at the limits after it wrote this part of what is allowed, so N replicas may exceed them by N times it. */
const trimPart = 16;
/** What a row costs beside its content. */
const rowBytes = 200;

export class ReplicaContents {
  readonly #options: ReplicaContentsOptions;
  #sinceTrimBytes = 0;

  constructor(options: ReplicaContentsOptions) {
    this.#options = options;
  }

  /** Never fails: a reply that was made is not taken back because it could not be shared. */
  async put(tokenId: string, id: string, content: Uint8Array): Promise<void> {
    let timer: Timer | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([this.#write(tokenId, id, content), enough]);
    clearTimeout(timer);
  }

  async get(tokenId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
    const { table, sealing, wallMs } = this.#options;
    const names = new Map(ids.map((id) => [this.#name(id), id]));
    const opened = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const [name, sealed] of await table.get(tokenId, [...names.keys()], wallMs())) {
      const content = await sealing.openBytes(replicaContentPlace(tokenId, name), sealed);
      const id = names.get(name);
      if (content !== undefined && id !== undefined) opened.set(id, content);
    }
    return opened;
  }

  async trim(): Promise<void> {
    const { table, kind, limits } = this.#options;
    this.#sinceTrimBytes = 0;
    await table.trim(kind, limits.tokenBytesMax, limits.bytesMax);
  }

  async #write(tokenId: string, id: string, content: Uint8Array): Promise<void> {
    const { table, sealing, kind, limits, wallMs, warn } = this.#options;
    const name = this.#name(id);
    const bytes = content.length + rowBytes;
    const atMs = wallMs();
    try {
      const sealed = sealing.sealBytes(replicaContentPlace(tokenId, name), content);
      const expiresAtMs = atMs + limits.lifetimeMs;
      await table.put({ tokenId, id: name, kind, content: sealed, bytes, atMs, expiresAtMs });
      this.#sinceTrimBytes += bytes;
    } catch (cause) {
      warn('A reply could not be shared with the other replicas.', { cause });
    }
    if (this.#sinceTrimBytes * trimPart < limits.tokenBytesMax) return;
    this.trim().catch((cause: unknown) => warn('Contents for other replicas could not be trimmed.', { cause }));
  }

  #name(id: string): string {
    return `${this.#options.kind} ${id}`;
  }
}

/** Content that was moved to another token's or another id's row does not open. */
export function replicaContentPlace(tokenId: string, name: string): readonly string[] {
  return ['replica content', tokenId, name];
}
