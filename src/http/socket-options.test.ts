/** Proves on real sockets that what is set on the listening one is what an accepted one has. */

import { dlopen, FFIType, ptr } from 'bun:ffi';
import { expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { socketOptionsOf } from './socket-options.ts';

const tcp = 6;
const userTimeout = 18;

/** Every socket of this process that has this option, with its value. */
function valuesOf(level: number, name: number): number[] {
  const { symbols } = dlopen('libc.so.6', {
    getsockopt: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  });
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      if (!readlinkSync(`/proc/self/fd/${descriptor}`).startsWith('socket:')) return [];
    } catch {
      return [];
    }
    const value = new Int32Array(1);
    const length = new Uint32Array([4]);
    const failed = symbols.getsockopt(Number(descriptor), level, name, ptr(value), ptr(length)) !== 0;
    return failed ? [] : [value[0] ?? 0];
  });
}

test.if(process.platform === 'linux')('accepted sockets have the options of the listening one', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('here') });
  try {
    const options = socketOptionsOf(server.port ?? 0);
    options?.setStallTimeout(31_234);
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(server.port ?? 0, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
    socket.once('data', () => resolve());
    await promise;
    const matching = (values: number[], wanted: number) => values.filter((value) => value === wanted).length;
    expect(matching(valuesOf(tcp, userTimeout), 124_936)).toBe(2);
    expect(matching(valuesOf(tcp, 4), 16)).toBe(2);
    options?.setStallTimeout(10_000);
    expect(matching(valuesOf(tcp, userTimeout), 40_000)).toBe(1);
    socket.destroy();
  } finally {
    await server.stop(true);
  }
});

test('a port without a listener has none', () => {
  expect(socketOptionsOf(1)).toBeUndefined();
});
