/**
 * A small object store on loopback that checks every signature by computing it itself, and misbehaves
 * when a test says so.
 */

import { createHash, createHmac } from 'node:crypto';

export interface BucketAccess {
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface SeenRequest {
  readonly method: string;
  readonly key: string;
  /** The query's names, sorted: which of the protocol's calls it is. */
  readonly call: string;
  readonly bytes: number;
}

export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly changedAtMs: number;
}

export interface OpenUpload {
  readonly mediaType: string;
  readonly parts: Map<number, Uint8Array>;
}

/** What goes wrong with the next requests that fit; undefined lets them pass. */
export type Fault = (seen: SeenRequest) => Response | Promise<Response | undefined> | undefined;

export interface ScriptedBucket {
  readonly endpoint: string;
  readonly objects: Map<string, StoredObject>;
  /** Begun and neither completed nor given up. */
  readonly uploads: Map<string, OpenUpload>;
  readonly seen: SeenRequest[];
  fault: Fault | undefined;
  stop(): Promise<void>;
}

const leastPartBytes = 5 * 1_024 * 1_024;

export function startBucket(access: BucketAccess): ScriptedBucket {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, OpenUpload>();
  const seen: SeenRequest[] = [];
  const shelf = { objects, uploads };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 1024 * 1024 * 1024,
    async fetch(request) {
      const refusal = refusalOf(request, access);
      if (refusal !== undefined) return refusal;
      const url = new URL(request.url);
      const [, bucket, ...rest] = url.pathname.split('/');
      if (bucket !== access.bucket) return failure(404, 'NoSuchBucket');
      const key = decodeURIComponent(rest.join('/'));
      const body = new Uint8Array(await request.arrayBuffer());
      const said = request.headers.get('content-length');
      if (said !== null && Number(said) !== body.length) return failure(400, 'IncompleteBody');
      const call = [...url.searchParams.keys()].sort().join(',');
      const entry = { method: request.method, key, call, bytes: body.length };
      seen.push(entry);
      const faulty = await made.fault?.(entry);
      return faulty ?? answer(shelf, request, url, key, body);
    },
  });
  const made: ScriptedBucket = {
    endpoint: `http://127.0.0.1:${server.port}`,
    objects,
    uploads,
    seen,
    fault: undefined,
    stop: () => server.stop(true),
  };
  return made;
}

type Shelf = Pick<ScriptedBucket, 'objects' | 'uploads'>;

function answer(shelf: Shelf, request: Request, url: URL, key: string, body: Uint8Array): Response {
  const query = url.searchParams;
  const mediaType = request.headers.get('content-type') ?? 'application/octet-stream';
  if (request.method === 'GET' && key === '') return listing(shelf, query);
  if (request.method === 'POST' && query.has('uploads')) {
    const id = crypto.randomUUID();
    shelf.uploads.set(id, { mediaType, parts: new Map() });
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  const uploadId = query.get('uploadId');
  if (uploadId !== null) return multipart(shelf, request.method, query, uploadId, key, body);
  if (request.method === 'PUT') {
    shelf.objects.set(key, { bytes: body, mediaType, changedAtMs: Date.now() });
    return new Response(null, { headers: { etag: etagOf(body) } });
  }
  if (request.method === 'DELETE') {
    shelf.objects.delete(key);
    return new Response(null, { status: 204 });
  }
  const found = shelf.objects.get(key);
  if (found === undefined) return failure(404, 'NoSuchKey');
  return request.method === 'HEAD' ? head(found) : piece(found, request.headers.get('range'));
}

function multipart(
  { objects, uploads }: Shelf,
  method: string,
  query: URLSearchParams,
  uploadId: string,
  key: string,
  body: Uint8Array,
): Response {
  const upload = uploads.get(uploadId);
  if (upload === undefined) return failure(404, 'NoSuchUpload');
  const { mediaType, parts } = upload;
  if (method === 'PUT') {
    parts.set(Number(query.get('partNumber')), body);
    return new Response(null, { headers: { etag: etagOf(body) } });
  }
  uploads.delete(uploadId);
  if (method === 'DELETE') return new Response(null, { status: 204 });
  const named = [...new TextDecoder().decode(body).matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) =>
    Number(n),
  );
  const pieces = named.map((number) => parts.get(number) ?? new Uint8Array());
  if (pieces.slice(0, -1).some(({ length }) => length < leastPartBytes)) return failure(400, 'EntityTooSmall');
  objects.set(key, { bytes: new Uint8Array(Buffer.concat(pieces)), mediaType, changedAtMs: Date.now() });
  return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
}

function head({ bytes, mediaType, changedAtMs }: StoredObject): Response {
  return new Response(null, {
    headers: {
      'content-length': String(bytes.length),
      'content-type': mediaType,
      'last-modified': new Date(changedAtMs).toUTCString(),
      etag: etagOf(bytes),
    },
  });
}

function piece({ bytes, mediaType }: StoredObject, range: string | null): Response {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === '') return new Response(new Uint8Array(bytes), { headers: { 'content-type': mediaType } });
  const start = Number(first);
  if (start >= bytes.length) return failure(416, 'InvalidRange');
  const end = last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1);
  return new Response(new Uint8Array(bytes.subarray(start, end + 1)), {
    status: 206,
    headers: { 'content-type': mediaType, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
  });
}

/** In the order of the keys, by pages, as the protocol has it. */
function listing({ objects }: Shelf, query: URLSearchParams): Response {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const most = Number(query.get('max-keys') ?? 1_000);
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, most);
  const contents = page.map((key) => {
    const found = objects.get(key);
    const changed = new Date(found?.changedAtMs ?? 0).toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${changed}</LastModified><Size>${found?.bytes.length ?? 0}</Size></Contents>`;
  });
  const isCut = keys.length > page.length;
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return xml(
    `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}<KeyCount>${page.length}</KeyCount>${contents.join('')}</ListBucketResult>`,
  );
}

/** The protocol's own rules: the path is not encoded again, and the payload may be unsigned. */
function refusalOf(request: Request, access: BucketAccess): Response | undefined {
  const shape =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, keyId, date = '', region = '', names = '', signature] =
    shape.exec(request.headers.get('authorization') ?? '') ?? [];
  if (keyId !== access.accessKeyId || region !== access.region) return failure(403, 'InvalidAccessKeyId');
  const time = request.headers.get('x-amz-date') ?? '';
  if (!time.startsWith(date) || !names.split(';').includes('host')) return failure(403, 'AccessDenied');
  const url = new URL(request.url);
  const query = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort();
  const canonical = [
    request.method,
    url.pathname,
    query.join('&'),
    ...names.split(';').map((name) => `${name}:${(request.headers.get(name) ?? '').trim()}`),
    '',
    names,
    request.headers.get('x-amz-content-sha256') ?? '',
  ].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const signingKey = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${access.secretAccessKey}`,
  );
  const right = createHmac('sha256', signingKey)
    .update(['AWS4-HMAC-SHA256', time, scope, hash].join('\n'))
    .digest('hex');
  return right === signature ? undefined : failure(403, 'SignatureDoesNotMatch');
}

export function failure(status: number, code: string): Response {
  return new Response(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, {
    status,
    headers: { 'content-type': 'application/xml' },
  });
}

function xml(text: string): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    headers: { 'content-type': 'application/xml' },
  });
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}
