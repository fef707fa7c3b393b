/** A WASI host in memory: arguments, one folder, nothing else. The runtime's own host would write real files and let the command end the process. */

const ok = 0;
const badDescriptor = 8;
const invalid = 28;
const noSuchFile = 44;
const noSpace = 51;

const folderDescriptor = 3;
const fileBytesMax = 64 * 1024 * 1024;
const descriptorsMax = 64;

const fileTypes = { device: 2, folder: 3, file: 4 } as const;
const openFlags = { create: 1, truncate: 8 } as const;

class MemoryFile {
  #bytes = new Uint8Array(64 * 1024);
  length = 0;

  write(at: number, data: Uint8Array): void {
    const end = at + data.length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(data, at);
    this.length = Math.max(this.length, end);
  }

  contents(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

interface OpenFile {
  readonly file: MemoryFile;
  position: number;
}

/** Unwinds the command's stack when it asks to end. */
class CommandEnded extends Error {}

export class MemoryHost {
  readonly #arguments: readonly Uint8Array[];
  readonly #files = new Map<string, MemoryFile>();
  readonly #open = new Map<number, OpenFile>();
  #memory: WebAssembly.Memory | undefined;

  constructor(commandArguments: readonly string[]) {
    this.#arguments = commandArguments.map((text) => new TextEncoder().encode(`${text}\0`));
  }

  /** Runs the command to its end. A trap inside it is thrown. */
  async run(module: WebAssembly.Module): Promise<void> {
    const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: this.#imports() });
    const { memory, _start: start } = exports;
    if (!(memory instanceof WebAssembly.Memory) || typeof start !== 'function') {
      throw new Error('The module is not a command.');
    }
    this.#memory = memory;
    try {
      start();
    } catch (error) {
      if (!(error instanceof CommandEnded)) throw error;
    }
  }

  file(name: string): Uint8Array | undefined {
    return this.#files.get(name)?.contents();
  }

  /** The memory moves when it grows, so a view is made for each use. */
  #view(): DataView {
    return new DataView(this.#memory?.buffer ?? new ArrayBuffer(0));
  }

  #bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory?.buffer ?? new ArrayBuffer(0), at, length);
  }

  #setWord(at: number, value: number): number {
    this.#view().setUint32(at, value, true);
    return ok;
  }

  #setLong(at: number, value: bigint): number {
    this.#view().setBigUint64(at, value, true);
    return ok;
  }

  #imports(): Record<string, (...values: never[]) => number> {
    return {
      args_sizes_get: (count: number, bytes: number) => {
        const total = this.#arguments.reduce((sum, { length }) => sum + length, 0);
        return this.#setWord(count, this.#arguments.length) + this.#setWord(bytes, total);
      },
      args_get: (pointers: number, buffer: number) => {
        for (const [index, argument] of this.#arguments.entries()) {
          this.#setWord(pointers + 4 * index, buffer);
          this.#bytes(buffer, argument.length).set(argument);
          buffer += argument.length;
        }
        return ok;
      },
      // A fixed clock keeps equal requests equal.
      clock_time_get: (_clock: number, _precision: bigint, at: number) => this.#setLong(at, 0n),
      fd_close: (descriptor: number) =>
        this.#open.delete(descriptor) || descriptor <= folderDescriptor ? ok : badDescriptor,
      fd_fdstat_get: (descriptor: number, at: number) => this.#describe(descriptor, at),
      fd_fdstat_set_flags: () => ok,
      fd_prestat_get: (descriptor: number, at: number) =>
        descriptor === folderDescriptor ? this.#setWord(at, 0) + this.#setWord(at + 4, 1) : badDescriptor,
      fd_prestat_dir_name: (descriptor: number, at: number) => {
        if (descriptor !== folderDescriptor) return badDescriptor;
        this.#bytes(at, 1)[0] = '/'.charCodeAt(0);
        return ok;
      },
      fd_read: (descriptor: number, list: number, count: number, at: number) => this.#read(descriptor, list, count, at),
      fd_seek: (descriptor: number, offset: bigint, from: number, at: number) => {
        const open = this.#open.get(descriptor);
        if (open === undefined) return badDescriptor;
        const target = Number(offset) + (from === 0 ? 0 : from === 1 ? open.position : open.file.length);
        if (target < 0 || target > fileBytesMax) return invalid;
        open.position = target;
        return this.#setLong(at, BigInt(target));
      },
      fd_write: (descriptor: number, list: number, count: number, at: number) =>
        this.#write(descriptor, list, count, at),
      path_open: (_folder: number, _lookup: number, path: number, length: number, flags: number, ...rest: number[]) =>
        this.#openPath(new TextDecoder().decode(this.#bytes(path, length)), flags, rest.at(-1) ?? 0),
      proc_exit: () => {
        throw new CommandEnded();
      },
    };
  }

  /** File type and all rights: the folder holds nothing that needs protection. */
  #describe(descriptor: number, at: number): number {
    if (descriptor > folderDescriptor && !this.#open.has(descriptor)) return badDescriptor;
    const { device, folder, file } = fileTypes;
    const type = descriptor === folderDescriptor ? folder : descriptor < folderDescriptor ? device : file;
    this.#setLong(at, BigInt(type));
    this.#setLong(at + 8, 0xffff_ffff_ffff_ffffn);
    return this.#setLong(at + 16, 0xffff_ffff_ffff_ffffn);
  }

  #openPath(path: string, flags: number, at: number): number {
    if (this.#open.size >= descriptorsMax) return noSpace;
    const file = this.#files.get(path) ?? new MemoryFile();
    if (!this.#files.has(path) && (flags & openFlags.create) === 0) return noSuchFile;
    this.#files.set(path, file);
    if ((flags & openFlags.truncate) !== 0) file.length = 0;
    let descriptor = folderDescriptor + 1;
    while (this.#open.has(descriptor)) descriptor++;
    this.#open.set(descriptor, { file, position: 0 });
    return this.#setWord(at, descriptor);
  }

  *#buffers(list: number, count: number): Generator<Uint8Array> {
    for (let index = 0; index < count; index++) {
      const view = this.#view();
      yield this.#bytes(view.getUint32(list + 8 * index, true), view.getUint32(list + 8 * index + 4, true));
    }
  }

  #read(descriptor: number, list: number, count: number, at: number): number {
    const open = this.#open.get(descriptor);
    // Standard input is empty.
    if (open === undefined) return descriptor === 0 ? this.#setWord(at, 0) : badDescriptor;
    let read = 0;
    for (const buffer of this.#buffers(list, count)) {
      const piece = open.file.contents().subarray(open.position, open.position + buffer.length);
      buffer.set(piece);
      open.position += piece.length;
      read += piece.length;
    }
    return this.#setWord(at, read);
  }

  /** Printed output is dropped, and counted as written. */
  #write(descriptor: number, list: number, count: number, at: number): number {
    const open = this.#open.get(descriptor);
    if (open === undefined && (descriptor === 0 || descriptor >= folderDescriptor)) return badDescriptor;
    let written = 0;
    for (const buffer of this.#buffers(list, count)) {
      if (open !== undefined) {
        if (open.position + buffer.length > fileBytesMax) return noSpace;
        open.file.write(open.position, buffer);
        open.position += buffer.length;
      }
      written += buffer.length;
    }
    return this.#setWord(at, written);
  }
}
