/** Replies for repeated requests in this process's memory: the oldest go first, when their time, their token's bytes or all bytes are over. */

export interface RememberedReply {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReplyLimits {
  readonly lifetimeMs: number;
  readonly tokenBytesMax: number;
  readonly bytesMax: number;
}

interface Entry extends RememberedReply {
  readonly tokenId: string;
  readonly id: string;
  readonly untilMs: number;
}

interface OfToken {
  bytes: number;
  /** In the order in which they were kept, which is the order in which they expire. */
  readonly entries: Map<string, Entry>;
}

/** What a reply costs beside its body. */
const entryBytes = 500;
const sizeOf = ({ body }: RememberedReply): number => body.length + entryBytes;

export class RememberedReplies {
  readonly #limits: ReplyLimits;
  readonly #tokens = new Map<string, OfToken>();
  readonly #all = new Set<Entry>();
  #bytes = 0;

  constructor(limits: ReplyLimits) {
    this.#limits = limits;
  }

  put(tokenId: string, id: string, { body, headers }: RememberedReply, nowMs: number): void {
    const { lifetimeMs, tokenBytesMax, bytesMax } = this.#limits;
    const before = this.#tokens.get(tokenId)?.entries.get(id);
    if (before !== undefined) this.#drop(before);
    const entry: Entry = { tokenId, id, body, headers, untilMs: nowMs + lifetimeMs };
    const own = this.#tokens.get(tokenId) ?? { bytes: 0, entries: new Map<string, Entry>() };
    this.#tokens.set(tokenId, own);
    own.entries.set(id, entry);
    own.bytes += sizeOf(entry);
    this.#all.add(entry);
    this.#bytes += sizeOf(entry);
    for (const oldest of own.entries.values()) {
      if (own.bytes <= tokenBytesMax) break;
      this.#drop(oldest);
    }
    for (const oldest of this.#all) {
      if (this.#bytes <= bytesMax && oldest.untilMs > nowMs) break;
      this.#drop(oldest);
    }
  }

  get(tokenId: string, id: string, nowMs: number): RememberedReply | undefined {
    const entry = this.#tokens.get(tokenId)?.entries.get(id);
    return entry === undefined || entry.untilMs <= nowMs ? undefined : entry;
  }

  #drop(entry: Entry): void {
    const own = this.#tokens.get(entry.tokenId);
    if (own?.entries.delete(entry.id) !== true) return;
    own.bytes -= sizeOf(entry);
    if (own.entries.size === 0) this.#tokens.delete(entry.tokenId);
    this.#all.delete(entry);
    this.#bytes -= sizeOf(entry);
  }
}

/** As one run of bytes: the head as a line of JSON, then the body. */
export function replyBytes({ body, headers }: RememberedReply): Uint8Array<ArrayBuffer> {
  return Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`), body]);
}

export function readReplyBytes(bytes: Uint8Array<ArrayBuffer>): RememberedReply {
  const end = bytes.indexOf(newline);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('utf8');
  return { headers: JSON.parse(head) as Record<string, string>, body: bytes.subarray(end + 1) };
}

const newline = 10;
