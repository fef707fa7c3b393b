/** Cuts the bytes of one connection into HTTP requests, keeping head and body exactly as they came. */

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

export class RequestReader {
  #buffer: Buffer = Buffer.alloc(0);
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #wantedBytes = 0;

  /** Returns the requests that are complete now. */
  push(bytes: Buffer): WireRequest[] {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#buffer.length + this.#pendingBytes < this.#wantedBytes) return [];
    this.#buffer = Buffer.concat([this.#buffer, ...this.#pending]);
    this.#pending = [];
    this.#pendingBytes = 0;
    const requests: WireRequest[] = [];
    for (let request = this.#next(); request !== undefined; request = this.#next()) requests.push(request);
    return requests;
  }

  #next(): WireRequest | undefined {
    const headEnd = this.#buffer.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const [requestLine = '', ...lines] = this.#buffer.subarray(0, headEnd).toString('latin1').split('\r\n');
    const [method = '', path = ''] = requestLine.split(' ');
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const header = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1];
    const bodyStart = headEnd + 4;
    const taken =
      header('transfer-encoding')?.toLowerCase() === 'chunked'
        ? this.#chunkedBody(bodyStart)
        : this.#sizedBody(bodyStart, Number(header('content-length') ?? 0));
    if (taken === undefined) return undefined;
    this.#buffer = this.#buffer.subarray(taken.end);
    this.#wantedBytes = 0;
    return { method, path, headers, body: taken.body };
  }

  #sizedBody(start: number, length: number): { body: Buffer; end: number } | undefined {
    if (this.#buffer.length < start + length) {
      this.#wantedBytes = start + length;
      return undefined;
    }
    return { body: Buffer.from(this.#buffer.subarray(start, start + length)), end: start + length };
  }

  #chunkedBody(start: number): { body: Buffer; end: number } | undefined {
    const parts: Buffer[] = [];
    let position = start;
    for (;;) {
      const lineEnd = this.#buffer.indexOf('\r\n', position);
      if (lineEnd < 0) return undefined;
      const size = Number.parseInt(this.#buffer.subarray(position, lineEnd).toString('latin1'), 16);
      const dataStart = lineEnd + 2;
      if (this.#buffer.length < dataStart + size + 2) return undefined;
      if (size === 0) return { body: Buffer.concat(parts), end: dataStart + 2 };
      parts.push(this.#buffer.subarray(dataStart, dataStart + size));
      position = dataStart + size + 2;
    }
  }
}
