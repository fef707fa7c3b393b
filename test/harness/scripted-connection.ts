/** A connection of a client over a socket that a test scripts: reads, room for writes, and seconds. */

import type { Socket } from 'bun';
import { WholeReply } from '../../src/http/reply.ts';
import { ClientConnection } from '../../src/http/server/client-connection.ts';
import type { ConnectionOwner } from '../../src/http/server/connection-owner.ts';
import { parseReplies } from './http-replies.ts';
import { type Handle, refusal } from './http-server.ts';

/** A socket that takes what it has room for. */
class ScriptedSocket {
  readonly written: Buffer[] = [];
  room = Number.POSITIVE_INFINITY;
  isPaused = false;
  readonly calls: string[] = [];
  readonly remoteAddress = '127.0.0.1';

  write(bytes: Uint8Array, offset: number, length: number): number {
    const taken = Math.min(length, this.room);
    this.room -= taken;
    // Copied: the bytes are the caller's again when this returns.
    this.written.push(Buffer.from(bytes.subarray(offset, offset + taken)));
    return taken;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  end(): void {
    this.calls.push('end');
  }

  shutdown(): void {
    this.calls.push('shutdown');
  }

  terminate(): void {
    this.calls.push('terminate');
  }

  get text(): string {
    return Buffer.concat(this.written).toString('latin1');
  }
}

export const silentTicksMax = 60;

export function openConnection(handle: Handle) {
  const socket = new ScriptedSocket();
  const reported: unknown[] = [];
  const owner: ConnectionOwner<ClientConnection> = {
    dateLine: 'date: now\r\n',
    silentTicksMax,
    unreadTicksMax: silentTicksMax,
    isClosing: false,
    handle,
    refuse: refusal,
    report: (error) => void reported.push(error),
    replaceUnsendable(error) {
      reported.push(error);
      return new WholeReply('unsendable', {}, undefined, 500);
    },
    closed: () => undefined,
  };
  const connection = new ClientConnection(owner, socket as unknown as Socket<ClientConnection>);
  return {
    socket,
    reported,
    connection,
    /** As one read of the socket, in memory of its own. */
    read: (text: string) => connection.received(Buffer.from(Buffer.from(text, 'latin1'))),
    replies: () => parseReplies(Buffer.concat(socket.written)).replies,
    tick(times: number) {
      for (let count = 0; count < times; count += 1) connection.tick();
    },
  };
}
