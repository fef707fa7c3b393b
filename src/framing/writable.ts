/** The part of the runtime's socket that takes bytes. */

export interface Writable {
  /** The bytes taken, or -1 if the socket is closed. */
  write(data: Uint8Array, byteOffset: number, byteLength: number): number;
}

/** More at a time would keep other connections waiting while TLS encrypts. */
export const writeBytesMax = 1_048_576;
