/** Opens sockets: name, address check, TCP and TLS under one deadline. A connection that fails here has sent nothing. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { SocketHandler, TLSOptions } from 'bun';
import { UnsentError } from '../transport.ts';
import { withRootCertificates } from '../trusted-certificates.ts';
import { isOutOfDescriptors } from './descriptors.ts';
import { codeOf } from './errors.ts';
import type { Origin } from './origin.ts';
import type { SocketOwner } from './socket-owner.ts';
import { openTunnel, readProxyAddress } from './tunnel.ts';

/** The code of a connection that failed because this process has no free file descriptor. */
export const tooManyFiles = 'EMFILE';

export interface ConnectOptions {
  readonly connectTimeoutMs: number;
  /**
   * Throws if connections to this address are not allowed. The checked address is the one that is then connected to.
   */
  readonly checkAddress?: ((host: string, address: string) => void) | undefined;
  /** Resolves a name if addresses are checked; the system's resolver by default. */
  readonly resolveHost?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** Certificates, in PEM, that are trusted besides the usual ones. */
  readonly ca?: string | undefined;
  /** The proxy for an origin, if any. Not together with an address check: a proxy resolves names itself. */
  readonly proxyFor?: ((origin: Origin) => string | undefined) | undefined;
}

export type Connector = (origin: Origin, connection: SocketOwner) => void;

export function createConnector(options: ConnectOptions): Connector {
  const { connectTimeoutMs, proxyFor } = options;
  if (options.checkAddress !== undefined && proxyFor !== undefined) {
    throw new TypeError('An address that must be checked cannot be reached through a proxy.');
  }
  const tls = tlsOptions(options.ca);
  return (origin, connection) => {
    const timer = setTimeout(() => {
      connection.connectFailed(
        new UnsentError('ETIMEDOUT', `${origin.host} did not accept a connection within ${connectTimeoutMs} ms.`),
      );
    }, connectTimeoutMs);
    const attempt: Attempt = { origin, connection, timer, tls };
    const proxy = proxyFor?.(origin);
    void (proxy === undefined ? openFirst(attempt, options) : openThrough(attempt, proxy));
  };
}

interface Attempt {
  readonly origin: Origin;
  readonly connection: SocketOwner;
  readonly timer: Timer;
  readonly tls: TLSOptions;
}

function tlsOptions(ca: string | undefined): TLSOptions {
  return {
    rejectUnauthorized: true,
    ALPNProtocols: 'http/1.1',
    ...(ca !== undefined && { ca: withRootCertificates(ca) }),
  };
}

/** Tries the addresses in turn if they are known; otherwise the runtime chooses. */
async function openFirst(attempt: Attempt, { checkAddress, resolveHost }: ConnectOptions): Promise<void> {
  const { connection, origin, timer } = attempt;
  try {
    const addresses = checkAddress === undefined ? [origin.host] : await resolve(origin.host, resolveHost);
    const refusal = checkAddress && refusalOf(origin.host, addresses, checkAddress);
    if (refusal !== undefined) throw refusal;
    await openAny(attempt, addresses);
  } catch (error) {
    clearTimeout(timer);
    connection.connectFailed(error instanceof AddressRefusal ? error.reason : unsent(error, origin));
  }
}

async function openThrough({ origin, connection, timer, tls }: Attempt, proxyUrl: string): Promise<void> {
  const decided = (): void => clearTimeout(timer);
  try {
    const proxy = readProxyAddress(proxyUrl);
    if (proxy === undefined) {
      const message = `No connection to ${origin.host}: sockets pass only a proxy whose address begins with http://.`;
      throw new UnsentError('ERR_PROXY_TUNNEL', message);
    }
    // An IP address is passed too: without it the certificate would be compared with the proxy's name.
    const secure = origin.secure
      ? { tls: { ...tls, serverName: origin.host }, handler: secureHandler(origin, timer) }
      : undefined;
    await openTunnel({ origin, connection, proxy, secure, decided });
  } catch (error) {
    decided();
    connection.connectFailed(unsent(error, origin));
  }
}

async function openAny(attempt: Attempt, addresses: readonly string[]): Promise<void> {
  let failure: unknown = new UnsentError('ENOTFOUND', `${attempt.origin.host} has no address.`);
  for (const address of addresses) {
    if (attempt.connection.closed) break;
    try {
      await openSocket(attempt, address);
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function resolve(host: string, resolveHost = systemAddresses): Promise<readonly string[]> {
  return isIP(host) === 0 ? resolveHost(host) : [host];
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** Keeps errors of the address check apart from network errors: the caller gets them as thrown. */
class AddressRefusal {
  readonly reason: unknown;
  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** One refused address is enough: a name with both allowed and refused addresses is an attack. */
function refusalOf(host: string, addresses: readonly string[], checkAddress: (host: string, address: string) => void) {
  try {
    for (const address of addresses) checkAddress(host, address);
    return undefined;
  } catch (reason) {
    return new AddressRefusal(reason);
  }
}

function openSocket({ origin, connection, timer, tls }: Attempt, address: string): Promise<unknown> {
  const data = connection;
  const { host, port, secure } = origin;
  if (!secure) {
    return Bun.connect<SocketOwner>({ hostname: address, port, data, socket: plainHandler(timer) });
  }
  const socket = secureHandler(origin, timer);
  return Bun.connect<SocketOwner>({ hostname: address, port, data, tls: namedTls(tls, host), socket });
}

/** An IP address is no server name: without one the runtime compares the certificate with the address itself. */
function namedTls(tls: TLSOptions, host: string): TLSOptions {
  return isIP(host) === 0 ? { ...tls, serverName: host } : tls;
}

const established: SocketHandler<SocketOwner> = {
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.drained(),
  close: (socket, error) => socket.data.lost(error),
  error: (socket, error) => socket.data.broken(error),
};

function plainHandler(timer: Timer): SocketHandler<SocketOwner> {
  return {
    ...established,
    open(socket) {
      clearTimeout(timer);
      socket.data.reached(socket);
      socket.data.opened(socket);
    },
  };
}

/** With a handshake handler it is the handler, not the runtime, that refuses a wrong certificate. */
function secureHandler(origin: Origin, timer: Timer): SocketHandler<SocketOwner> {
  let agreed = false;
  return {
    ...established,
    open: (socket) => socket.data.reached(socket),
    handshake(socket, success, refusal) {
      clearTimeout(timer);
      agreed = success && refusal === null;
      if (agreed) socket.data.opened(socket);
      else socket.data.connectFailed(unsent(refusal, origin));
    },
    close(socket, error) {
      clearTimeout(timer);
      if (agreed) socket.data.lost(error);
      else socket.data.connectFailed(hungUp(error, origin));
    },
  };
}

function hungUp(cause: unknown, { host }: Origin): UnsentError {
  const message = `No connection to ${host}: it hung up during the TLS handshake.`;
  return new UnsentError(codeOf(cause) ?? 'ECONNRESET', message, cause);
}

function unsent(cause: unknown, { host }: Origin): UnsentError {
  if (cause instanceof UnsentError) return cause;
  if (isOutOfDescriptors()) {
    const message = `No connection to ${host}: too many open files. Raise the limit of this process (ulimit -n, LimitNOFILE).`;
    return new UnsentError(tooManyFiles, message, cause);
  }
  const detail = cause instanceof Error ? cause.message : 'the TLS handshake failed';
  // Bun's resolver puts its own prefix before the usual codes.
  const code = codeOf(cause)?.replace(/^DNS_/, '') ?? 'EPROTO';
  return new UnsentError(code, `No connection to ${host}: ${detail}.`, cause);
}
