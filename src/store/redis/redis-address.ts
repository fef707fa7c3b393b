/** Where a node of Redis is, and what a reply says of another one. https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ (read 2026-11-19) */

import { isIP, isIPv6 } from 'node:net';
import { createScrubber } from '../../secrets/scrubber.ts';

export interface RedisAddress {
  /** With the protocol, user, password and database that the operator wrote. */
  readonly url: string;
  /** The name that the node's certificate is verified against, where it is not that of the URL. */
  readonly certificateName?: string;
}

const textMax = 200;

/** Redis cannot be used, and why: its own words where it said any. */
export class RedisFault extends Error {
  /** Weir cannot be meant to run with this: a start is refused. */
  readonly isMistake: boolean;

  constructor(text: string, { isMistake = false } = {}) {
    super(text);
    this.name = 'RedisFault';
    this.isMistake = isMistake;
  }
}

/** What failed at an address, for the log. */
export function faultAt(address: RedisAddress, error: unknown, url: string): RedisFault {
  const text = textOf(error, url);
  if (error instanceof RedisFault) return new RedisFault(text, error);
  return new RedisFault(`${shownAddress(address)}: ${text}`);
}

/** The first line of what was said, bounded, without the password. */
function textOf(error: unknown, url: string): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split(/[\r\n]/, 1);
  // Which script and which line of it says nothing to an operator.
  const said = line.replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.?$/, '');
  const { password } = URL.parse(url) ?? { password: '' };
  const bare = createScrubber([password, decoded(password)])(said);
  return bare.length > textMax ? `${bare.slice(0, textMax)}…` : bare;
}

/** As the server has to get it. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Older versions put what the command said inside an error of the script. */
const anotherNode = /(?:^|[\s-])(?:MOVED \d|ASK \d|READONLY |TRYAGAIN |CLUSTERDOWN )/;

/** The command was not carried out, because this node does not, or does no longer, decide over the keys. */
export function namesAnotherNode(error: unknown): boolean {
  return error instanceof Error && anotherNode.test(error.message);
}

interface NamedNode {
  readonly host: string;
  readonly port: number;
}

/**
 * The node that `MOVED` names. `ASK` names one that takes a key only while it is being moved, so the keys are asked for again
 * where they were, until that is done. Undefined where nothing is named; throws where what is named can be no node.
 */
export function nodeNamedIn(error: unknown, at: RedisAddress): NamedNode | undefined {
  const text = error instanceof Error ? error.message : '';
  const named = /(?:^|[\s-])MOVED \d{1,5} (\S*):(\d{1,6})(?:\s|$)/.exec(text);
  if (named === null) return undefined;
  const [, host = '', port = ''] = named;
  // An empty name is that of the node that was asked.
  const node = readNode(host === '' ? hostOf(at.url) : host, Number(port));
  if (node === undefined) throw new RedisFault(`Redis names a node that can be none: ${text.slice(0, textMax)}`);
  return node;
}

/** A node's name or address and port, if they can be such. */
export function readNode(host: unknown, port: unknown): NamedNode | undefined {
  if (typeof host !== 'string' || typeof port !== 'number') return undefined;
  if (!Number.isSafeInteger(port) || port < 1 || port > 65_535) return undefined;
  const isName = host.length <= 253 && /^(?!-)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?$/.test(host);
  const isAddress = isIP(host) !== 0;
  // Digits and dots alone are an address or nothing.
  if (!isAddress && (!isName || /^[\d.]+$/.test(host))) return undefined;
  if (/^0\.0\.0\.0$|^::$/.test(host)) return undefined;
  return { host, port };
}

/**
 * The same URL at another node. A cluster that names its nodes by address often has certificates for the name that the
 * operator wrote: with TLS that name is tried too.
 */
export function addressesAt(base: string, { host, port }: NamedNode): readonly RedisAddress[] {
  const url = new URL(base);
  const written = url.hostname;
  url.host = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const plain = { url: url.href };
  if (url.protocol !== 'rediss:' || isIP(host) === 0 || isIP(unbracketed(written)) !== 0) return [plain];
  return [plain, { ...plain, certificateName: written }];
}

export function hostOf(url: string): string {
  return unbracketed(new URL(url).hostname);
}

/** For a text: without user and password. */
export function shownAddress({ url }: RedisAddress): string {
  return new URL(url).host;
}

const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
