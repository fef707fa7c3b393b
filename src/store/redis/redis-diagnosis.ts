/** Why a connection to Redis does not come about: the runtime's client only says that it was closed. https://redis.io/docs/latest/develop/reference/protocol-spec/ (read 2026-11-19) */

import { decoded, hostOf, type RedisAddress, RedisFault, shownAddress } from './redis-address.ts';

const defaultPort = 6379;
const readBytesMax = 4_096;

/** Connects once more, introduces itself as the client did, and reads the server's reply. */
export async function diagnose(address: RedisAddress, timeoutMs: number): Promise<RedisFault> {
  const where = shownAddress(address);
  const reply = Promise.withResolvers<string>();
  const late = setTimeout(() => reply.reject(new Error(`no reply within ${timeoutMs} ms`)), timeoutMs);
  const opening = open(address, reply);
  opening.catch(reply.reject);
  try {
    const said = await reply.promise;
    const fault = faultIn(said);
    if (fault !== undefined) return new RedisFault(`${where}: ${fault}`);
    if (!/^[-+:$*%_,#(!=~>|]/.test(said))
      return new RedisFault(`What answers at ${where} is not Redis.`, { isMistake: true });
    return new RedisFault(`${where}: the connection was closed`);
  } catch (error) {
    return new RedisFault(`${where}: ${wordsOf(error)}`);
  } finally {
    clearTimeout(late);
    opening.then(
      (socket) => socket.terminate(),
      () => undefined,
    );
  }
}

function open(address: RedisAddress, reply: PromiseWithResolvers<string>): Promise<Bun.Socket> {
  const url = new URL(address.url);
  const host = hostOf(address.url);
  const decoder = new TextDecoder();
  let text = '';
  const commands = introductionOf(url);
  return Bun.connect({
    hostname: host,
    port: Number(url.port) || defaultPort,
    ...(url.protocol === 'rediss:' && {
      tls: { serverName: address.certificateName ?? host, rejectUnauthorized: true },
    }),
    socket: {
      open: (socket) => void (url.protocol === 'rediss:' || socket.write(commands)),
      handshake(socket, _, error) {
        if (error !== null) reply.reject(error);
        else socket.write(commands);
      },
      data(_, data) {
        text += decoder.decode(data, { stream: true });
        const isWhole = faultIn(text) !== undefined || /PONG\r\n/.test(text) || !/^[-+]/.test(text);
        if (isWhole || text.length > readBytesMax) reply.resolve(text);
      },
      error: (_, error) => reply.reject(error),
      connectError: (_, error) => reply.reject(error),
      close: () => (text === '' ? reply.reject(new Error('closed without a reply')) : reply.resolve(text)),
    },
  });
}

function introductionOf({ username, password }: URL): string {
  const names = username === '' ? [] : [decoded(username)];
  const auth = password === '' ? [] : [['AUTH', ...names, decoded(password)]];
  return [...auth, ['PING']].map(written).join('');
}

function written(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** The first error reply, without its mark. */
function faultIn(said: string): string | undefined {
  return /^-([^\r\n]*)\r\n/m.exec(said)?.[1];
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && !error.message.includes(code) ? `${error.message} (${code})` : error.message;
}
