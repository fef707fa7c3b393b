/** A scripted provider on a loopback port: checks every request as its original would and then plays the scene its model names. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demand } from './demands.ts';
import { Issued, type Said } from './issued.ts';
import type { Asked, WireProvider } from './provider.ts';
import { faults, type Scene, sceneOf } from './scenes.ts';
import { type Json, object, type Seen, WrongRequest } from './seen.ts';

export interface Verdict {
  readonly model: string;
  readonly stream: boolean;
  /** Absent where the request was right. */
  readonly wrong?: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Json;
  /** The body's very bytes. */
  readonly text: string;
}

export interface RunningProvider {
  readonly kind: WireProvider['kind'];
  /** As `base_url` in `weir.yaml`. */
  readonly base: string;
  readonly verdicts: readonly Verdict[];
  stop(): void;
}

/** For requests that are recorded and not read. */
const unseen: Seen = {
  system: [],
  turns: [],
  tools: [],
  choice: 'auto',
  schema: undefined,
  thinks: false,
  showsThoughts: false,
  wantsSeals: false,
  maxTokens: undefined,
  temperature: undefined,
  stop: [],
  wantsUsage: false,
};

export async function startProvider(provider: WireProvider): Promise<RunningProvider> {
  const verdicts: Verdict[] = [];
  const issued = new Issued();
  const server = createServer((request, response) => {
    void receive(request).then((text) => {
      if (request.method === 'GET') return send(response, 200, { data: [], models: [] });
      return answer(provider, issued, verdicts, request, text, response);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  return {
    kind: provider.kind,
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${provider.version}`,
    verdicts,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function receive(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function answer(
  provider: WireProvider,
  issued: Issued,
  verdicts: Verdict[],
  request: IncomingMessage,
  text: string,
  response: ServerResponse,
): Promise<void> {
  const body = object(JSON.parse(text), 'body');
  const path = request.url ?? '';
  const headers = new Headers(request.headers as Record<string, string>);
  let asked: Asked = { model: '', stream: false };
  try {
    asked = provider.route(path, headers, body) ?? notFound(path);
    const scene = sceneOf(asked.model);
    const seen = scene.name === 'free' ? unseen : provider.read(body);
    const isSecond = scene.name !== 'free' && demand(scene, seen, { ...provider, issued });
    verdicts.push({ ...asked, path, headers, body, text });
    const { callPrefix } = provider;
    const said = issued.say(scene, asked.model, { isSecond, callPrefix, showsThoughts: seen.showsThoughts });
    await play(provider, scene, asked, said, seen, body, response);
  } catch (error) {
    if (!(error instanceof WrongRequest)) throw error;
    verdicts.push({ ...asked, path, headers, body, text, wrong: error.message });
    send(response, 400, provider.errorBody(400, `Wrong request: ${error.message}`));
  }
}

function notFound(path: string): never {
  throw new WrongRequest(`no such path: ${path}`);
}

async function play(
  provider: WireProvider,
  scene: Scene,
  asked: Asked,
  said: Said,
  seen: Seen,
  body: Json,
  response: ServerResponse,
): Promise<void> {
  const fault = faultOf(scene);
  if (fault !== undefined && scene.name === 'fault-first' && asked.stream) {
    await deliver(response, eventStream, provider.errorFrame(fault.message));
  } else if (fault !== undefined) {
    send(response, fault.status, provider.errorBody(fault.status, fault.message));
  } else if (!asked.stream) {
    const text = JSON.stringify(provider.whole(said, seen, body));
    if (isCut(scene)) await cutOff(response, 'application/json', text.slice(0, text.length / 2), scene);
    else send(response, 200, text);
  } else {
    const frames = provider.frames(said, seen, body);
    if (isCut(scene)) await cutOff(response, eventStream, beginning(frames), scene);
    else if (scene.name === 'late-reset') await cutOff(response, eventStream, frames.join(''), scene);
    else await deliver(response, eventStream, frames.join(''));
  }
}

const eventStream = 'text/event-stream; charset=utf-8';

function faultOf({ name }: Scene) {
  return name === 'busy' || name === 'wrong' || name === 'fault-first' ? faults[name] : undefined;
}

function send(response: ServerResponse, status: number, body: object | string): void {
  const retry: Record<string, string> = status === 429 ? { 'retry-after': '1' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...retry });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function isCut({ name }: Scene): boolean {
  return name === 'cut-end' || name === 'cut-reset';
}

/** Some text, and nothing of a terminal marker. */
function beginning(frames: readonly string[]): string {
  return frames.slice(0, frames.findIndex((frame) => frame.includes('sente')) + 1).join('');
}

const pieceBytesMin = 200;
const pieces = 40;

/** Several frames in one piece and frames cut in two: as a network delivers them. */
async function deliver(response: ServerResponse, type: string, text: string): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  const bytes = Buffer.from(text);
  const size = Math.max(pieceBytesMin, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length; at += size) await written(response, bytes.subarray(at, at + size));
  response.end();
}

/** Ends cleanly after the beginning, or with the connection. */
async function cutOff(response: ServerResponse, type: string, text: string, scene: Scene): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  await written(response, Buffer.from(text));
  if (scene.name === 'cut-end') response.end();
  else response.destroy();
}

async function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  const done = Promise.withResolvers<void>();
  response.write(bytes, () => done.resolve());
  await done.promise;
}
