/**
 * Log lines in a file of bounded size, with a bounded number of older files beside it. Lines are written in the background:
 * a slow, full or read-only disk delays no request. While it cannot be written, lines go to standard error.
 */

import { writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

interface LogFileOptions {
  readonly path: string;
  readonly bytesMax: number;
  /** Older files, named by a number behind the name: 1 is the newest. */
  readonly filesMax: number;
  /** Takes a line while the file cannot be written. */
  fallback(line: string): void;
  nowMs(): number;
}

/** What waits for the disk; lines beyond it are counted and not kept. */
const waitingBytesMax = 4 * 1_048_576;
const retryMs = 1_000;

export class LogFile {
  readonly #options: LogFileOptions;
  #handle: FileHandle | undefined;
  #bytes = 0;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #failedAtMs: number | undefined;

  constructor(options: LogFileOptions) {
    this.#options = options;
    process.once('exit', () => this.#writeRest());
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#waitingBytes + bytes > waitingBytesMax) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(`${line}\n`);
    this.#waitingBytes += bytes;
    this.#writing ??= this.#writeAll();
  }

  /** Another program has renamed it: the next line goes into a new file. */
  async reopen(): Promise<void> {
    await this.flush();
    await this.#close();
  }

  /** Resolves when all lines so far are written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Lines of one moment are written together.
      await Promise.resolve();
      const lines = this.#waiting;
      const bytes = this.#waitingBytes;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#append(lines, bytes);
    }
    this.#writing = undefined;
  }

  async #append(lines: readonly string[], bytes: number): Promise<void> {
    const { fallback, nowMs, path } = this.#options;
    if (this.#failedAtMs !== undefined && nowMs() - this.#failedAtMs < retryMs) return this.#giveAway(lines);
    try {
      await this.#makeRoom(bytes);
      await this.#handle?.appendFile(this.#droppedLine() + lines.join(''));
      this.#bytes += bytes;
      if (this.#failedAtMs !== undefined) fallback(`The log file ${path} is written again.`);
      this.#failedAtMs = undefined;
    } catch (error) {
      if (this.#failedAtMs === undefined)
        fallback(`The log file ${path} cannot be written (${codeOf(error)}): until it can, lines are here.`);
      this.#failedAtMs = nowMs();
      await this.#close();
      this.#giveAway(lines);
    }
  }

  #giveAway(lines: readonly string[]): void {
    for (const line of lines) this.#options.fallback(line.slice(0, -1));
  }

  #droppedLine(): string {
    if (this.#dropped === 0) return '';
    const text = `${this.#dropped} log lines were not written: the disk was too slow for them.\n`;
    this.#dropped = 0;
    return text;
  }

  async #makeRoom(bytes: number): Promise<void> {
    const { path, bytesMax, filesMax } = this.#options;
    await this.#open();
    if (this.#bytes === 0 || this.#bytes + bytes <= bytesMax) return;
    await this.#close();
    await rm(`${path}.${filesMax}`, { force: true });
    for (let number = filesMax - 1; number >= 0; number--) {
      const older = number === 0 ? path : `${path}.${number}`;
      await rename(older, `${path}.${number + 1}`).catch(unlessMissing);
    }
    await this.#open();
  }

  async #open(): Promise<void> {
    if (this.#handle !== undefined) return;
    await mkdir(dirname(this.#options.path), { recursive: true });
    this.#handle = await open(this.#options.path, 'a', 0o600);
    this.#bytes = (await this.#handle.stat()).size;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  /** A process that ends has no time for more. */
  #writeRest(): void {
    if (this.#waiting.length === 0) return;
    try {
      if (this.#handle === undefined) this.#giveAway(this.#waiting);
      else writeSync(this.#handle.fd, this.#waiting.join(''));
    } catch {
      this.#giveAway(this.#waiting);
    }
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? error);

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
