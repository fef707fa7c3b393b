/**
 * Detects clients that vanished without closing, and tells slow readers from those that do not read: TCP options for
 * which the runtime has no setting. On Linux an accepted socket inherits those of the listening one, so they are set
 * once, there. Elsewhere nothing is set. https://man7.org/linux/man-pages/man7/tcp.7.html (read 2026-11-15).
 */

import { dlopen, FFIType, ptr } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const solSocket = 1;
const soKeepalive = 9;
const ipprotoTcp = 6;
const tcpKeepidle = 4;
const tcpKeepintvl = 5;
const tcpKeepcnt = 6;
const tcpUserTimeout = 18;
const tcpNotsentLowat = 25;

/** A silent connection is probed after half the time, then so often in the other half, until the timeout below. */
const probesMax = 3;
/**
 * A client that does not read is ended by Weir's own timeouts, which see whether it takes bytes. The kernel's does not:
 * where a receive window is smaller than a segment (64 KB on loopback), data moves with probes only, ever more rarely,
 * and the time since the first of them counts although the client reads. So this timeout is a multiple of Weir's: it is
 * for clients that vanished.
 */
const userTimeoutsPerStall = 4;
/**
 * A socket has room again when fewer bytes wait in it to be sent. The system's own measure is a third of its buffer, which is
 * megabytes: a client that reads slowly would look as if it did not read.
 */
const unsentBytes = 131_072;
const listening = '0A';
const listeningMark = ` ${listening} `;
const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

interface SocketOptions {
  /** Bytes that the client does not acknowledge, or has no room for, for a multiple of this end its connection. */
  setStallTimeout(stallTimeoutMs: number): void;
}

/** Sets them on the sockets that listen on this port. Does nothing if the system does not allow it. */
export function socketOptionsOf(port: number): SocketOptions | undefined {
  if (process.platform !== 'linux') return undefined;
  const set = setter();
  const descriptors = listenersOn(port);
  if (set === undefined || descriptors.length === 0) return undefined;
  for (const descriptor of descriptors) set(descriptor, ipprotoTcp, tcpNotsentLowat, unsentBytes);
  let setMs = 0;
  return {
    setStallTimeout(stallTimeoutMs) {
      if (stallTimeoutMs === setMs) return;
      setMs = stallTimeoutMs;
      const idleSeconds = Math.max(1, Math.round(stallTimeoutMs / 2_000));
      const intervalSeconds = Math.max(1, Math.round(stallTimeoutMs / 2_000 / probesMax));
      for (const descriptor of descriptors) {
        set(descriptor, ipprotoTcp, tcpKeepidle, idleSeconds);
        set(descriptor, ipprotoTcp, tcpKeepintvl, intervalSeconds);
        set(descriptor, ipprotoTcp, tcpKeepcnt, probesMax);
        set(descriptor, solSocket, soKeepalive, 1);
        set(descriptor, ipprotoTcp, tcpUserTimeout, stallTimeoutMs * userTimeoutsPerStall);
      }
    },
  };
}

type SetOption = (descriptor: number, level: number, name: number, value: number) => void;

function setter(): SetOption | undefined {
  for (const library of libraries) {
    try {
      const { symbols } = dlopen(library, {
        setsockopt: {
          args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
          returns: FFIType.i32,
        },
      });
      return (descriptor, level, name, value) => {
        const bytes = new Int32Array([value]);
        symbols.setsockopt(descriptor, level, name, ptr(bytes), bytes.byteLength);
      };
    } catch {
      // Not this C library; the next name is tried.
    }
  }
  return undefined;
}

/** The runtime does not expose its listening descriptors; the kernel does. */
function listenersOn(port: number): number[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const links = new Set<string>();
  for (const name of ['tcp', 'tcp6']) {
    for (const line of textOf(`/proc/self/net/${name}`).split('\n')) {
      // Most lines are of connections, and there may be many thousands.
      if (!line.includes(listeningMark)) continue;
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local?.endsWith(suffix) === true && state === listening) links.add(`socket:[${inode}]`);
    }
  }
  if (links.size === 0) return [];
  return readdirSync('/proc/self/fd').flatMap((name) =>
    links.has(linkOf(`/proc/self/fd/${name}`)) ? [Number(name)] : [],
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Empty for a descriptor that was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
