/** The scripted upstream of the bench: answers chat requests from prepared bytes, so that almost all CPU time in a run belongs to the proxy. */

import { parseArgs } from 'node:util';
import type { Socket } from 'bun';
import { jsonReply, streamEnd, streamFrame, streamHead } from './chat-bytes.ts';
import { speechBytes } from './large-bodies.ts';
import { generateStream, messagesReply, messagesStream, type StreamBytes } from './wire-bytes.ts';

interface Connection {
  pending: string;
  /** Bytes of an upload that have not arrived; they are not parsed. */
  skipping: number;
}

interface RunningStream {
  socket: Socket<Connection>;
  framesLeft: number;
  readonly bytes: StreamBytes;
}

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const streamsBySlot = new Map<number, Set<RunningStream>>();
const slotCountMax = 100_000;
/** From this pace on a stream counts as idle; it begins with one frame at once, so that its start is visible. */
const restingPaceMs = 1_000;
let tick = 0;
let nextSlot = 0;

const listener = Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port: Number(values.port),
  socket: {
    open(socket) {
      socket.data = { pending: '', skipping: 0 };
      socket.setNoDelay(true);
    },
    data(socket, bytes) {
      const connection = socket.data;
      if (connection.skipping > 0) {
        connection.skipping -= bytes.length;
        if (connection.skipping === 0) socket.write(transcript);
        return;
      }
      connection.pending += bytes.toString('latin1');
      if (beginsUpload(socket)) return;
      for (;;) {
        const end = requestEnd(connection.pending);
        if (end === undefined) return;
        const request = connection.pending.slice(0, end);
        connection.pending = connection.pending.slice(end);
        answer(socket, request);
      }
    },
    drain: sendMore,
    close: forget,
    error: forget,
  },
});

const transcriptText = '{"text":"A weir measures its flow.","usage":{"type":"duration","seconds":60}}';
const transcript = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${transcriptText.length}\r\n\r\n${transcriptText}`;

/** An upload is counted, not kept. */
function beginsUpload(socket: Socket<Connection>): boolean {
  const connection = socket.data;
  if (!connection.pending.startsWith('POST /v1/audio/transcriptions')) return false;
  const headEnd = connection.pending.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(connection.pending.slice(0, headEnd))?.[1] ?? 0);
  connection.skipping = length - (connection.pending.length - headEnd - 4);
  connection.pending = '';
  if (connection.skipping === 0) socket.write(transcript);
  return true;
}

/** The end of the first whole request, or undefined while bytes are missing. Proxies send a length or, when they stream the body, chunks. */
function requestEnd(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const bodyStart = headEnd + 4;
  const head = text.slice(0, headEnd);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const last = text.indexOf('\r\n0\r\n\r\n', headEnd + 2);
    return last < 0 ? undefined : last + 7;
  }
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  const end = bodyStart + Number(length?.[1] ?? 0);
  return text.length < end ? undefined : end;
}

/** `max_tokens` of the request is the number of frames and `seed` their pace in milliseconds, because both pass every proxy untouched. */
function answer(socket: Socket<Connection>, request: string): void {
  if (request.startsWith('GET ')) {
    socket.write(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n{"object":"list","data":[]}',
    );
    return;
  }
  if (request.startsWith('POST /v1/audio/speech')) {
    sendSpeech(socket);
    return;
  }
  const bytes = bytesFor(request);
  if (bytes !== generateStream && !/"stream": ?true/.test(request)) {
    socket.write(bytes === chatStream ? jsonReply : messagesReply);
    return;
  }
  const framesLeft = Number(/"max(?:_t|_completion_t|OutputT)okens": ?(\d+)/.exec(request)?.[1] ?? 1);
  const paceMs = Math.min(slotCountMax - 1, Number(/"seed": ?(\d+)/.exec(request)?.[1] ?? 10));
  socket.write(streamHead);
  if (bytes.start.length > 0) socket.write(bytes.start);
  if (paceMs >= restingPaceMs) socket.write(bytes.frame);
  const slot = pickSlot(paceMs);
  const members = streamsBySlot.get(slot) ?? new Set();
  streamsBySlot.set(slot, members);
  members.add({ socket, framesLeft, bytes });
}

const audio = Buffer.alloc(speechBytes, 0x55);
const sending = new Map<Socket<Connection>, number>();

/** As fast as the client reads: a full socket reports when it has room. */
function sendSpeech(socket: Socket<Connection>): void {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ncontent-length: ${audio.length}\r\n\r\n`);
  sending.set(socket, 0);
  sendMore(socket);
}

function sendMore(socket: Socket<Connection>): void {
  const at = sending.get(socket);
  if (at === undefined) return;
  const written = Math.max(0, socket.write(audio, at, audio.length - at));
  if (at + written === audio.length) sending.delete(socket);
  else sending.set(socket, at + written);
}

const chatStream: StreamBytes = { start: Buffer.alloc(0), frame: streamFrame, end: streamEnd };

function bytesFor(request: string): StreamBytes {
  if (request.startsWith('POST /v1/messages')) return messagesStream;
  return request.startsWith('POST /v1beta/') ? generateStream : chatStream;
}

/** Slots encode pace and phase; phases rotate so that frames of different streams are not sent in one burst. */
function pickSlot(paceMs: number): number {
  nextSlot += 1;
  return paceMs * slotCountMax + (nextSlot % Math.max(1, paceMs));
}

function sendDueFrames(): void {
  tick += 1;
  for (const [slot, members] of streamsBySlot) {
    const paceMs = Math.max(1, Math.floor(slot / slotCountMax));
    if (tick % paceMs !== slot % slotCountMax) continue;
    for (const stream of members) {
      if (stream.framesLeft > 0) {
        stream.framesLeft -= 1;
        stream.socket.write(stream.bytes.frame);
      } else {
        members.delete(stream);
        stream.socket.write(stream.bytes.end);
      }
    }
  }
}

function forget(socket: Socket<Connection>): void {
  for (const members of streamsBySlot.values()) {
    for (const stream of members) if (stream.socket === socket) members.delete(stream);
  }
}

setInterval(sendDueFrames, 1);
console.log(JSON.stringify({ port: listener.port }));
