/** The part of the runtime's socket that takes bytes. */

export interface Writable {
  /** The bytes taken, or -1 if the socket is closed. */
  write(data: Uint8Array, byteOffset: number, byteLength: number): number;
}

/**
 * More in a turn of the event loop would keep other connections waiting: TLS encrypts it, and a socket whose other side
 * reads meanwhile takes any number of bytes.
 */
export const writeBytesMax = 1_048_576;
