/** The answer to the key of a WebSocket handshake (RFC 6455, section 4.2.2). */

/** The GUID of RFC 6455, which an unrelated answer does not contain by chance. */
const acceptSalt = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export function acceptFor(key: string): string {
  return new Bun.CryptoHasher('sha1').update(key + acceptSalt).digest('base64');
}
