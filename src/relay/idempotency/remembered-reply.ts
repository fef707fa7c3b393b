/** A reply for repeated requests, serialized for other replicas: the headers as a line of JSON, then the body. */

export interface RememberedReply {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

const newline = 10;

export function replyBytes({ body, headers }: RememberedReply): Uint8Array<ArrayBuffer> {
  return Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`), body]);
}

export function readReplyBytes(bytes: Uint8Array<ArrayBuffer>): RememberedReply {
  const end = bytes.indexOf(newline);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('utf8');
  return { headers: JSON.parse(head) as Record<string, string>, body: bytes.subarray(end + 1) };
}
