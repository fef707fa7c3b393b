/** Large bodies: the upload of a 10 MB recording and the download of a 5 MB speech, in CPU and in memory. */

import type { Rounds } from './measure.ts';
import { cpuMicros, residentMegabytes } from './processes.ts';
import { benchToken, type Target } from './targets.ts';

const uploadBytes = 10_485_760;
export const speechBytes = 5_242_880;
const transfersPerRound = 12;
/** Until the compiler has settled. */
const warmUpRounds = 3;
const sampleMs = 10;
const afterworkMs = 300;

export interface LargeFigures {
  /** CPU ms per transfer, by target. */
  readonly upload: Rounds;
  readonly speech: Rounds;
  /** The most that Weir's resident memory grew during a transfer, MB. */
  readonly uploadGrowth: number;
  readonly speechGrowth: number;
}

const boundary = 'bench-boundary-0123456789';
const form = new Blob([
  `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\ngpt-4.1\r\n--${boundary}\r\n` +
    'content-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n',
  new Uint8Array(uploadBytes).fill(0x41),
  `\r\n--${boundary}--\r\n`,
]);
const speech = JSON.stringify({ model: 'gpt-4.1', input: 'A weir measures its flow.', voice: 'alloy' });

async function send(target: Target, path: string, contentType: string, body: Blob | string): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${target.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${benchToken}`, 'content-type': contentType },
    body,
  });
  const bytes = (await reply.bytes()).length;
  if (reply.status !== 200) throw new Error(`${target.name}: ${path} answered ${reply.status}`);
  return bytes;
}

const upload = (target: Target) =>
  send(target, '/v1/audio/transcriptions', `multipart/form-data; boundary=${boundary}`, form);

async function speak(target: Target): Promise<void> {
  const bytes = await send(target, '/v1/audio/speech', 'application/json', speech);
  if (bytes !== speechBytes) throw new Error(`${target.name}: ${bytes} bytes of speech instead of ${speechBytes}`);
}

async function cpuMsOf(target: Target, work: (target: Target) => Promise<unknown>): Promise<number> {
  const before = cpuMicros(target.pids);
  for (let index = 0; index < transfersPerRound; index += 1) await work(target);
  await Bun.sleep(afterworkMs);
  return (cpuMicros(target.pids) - before) / transfersPerRound / 1_000;
}

async function growthOf(target: Target, work: (target: Target) => Promise<unknown>): Promise<number> {
  const before = residentMegabytes(target.pids);
  let most = before;
  const sampler = setInterval(() => {
    most = Math.max(most, residentMegabytes(target.pids));
  }, sampleMs);
  await work(target);
  clearInterval(sampler);
  return Math.max(most, residentMegabytes(target.pids)) - before;
}

export async function largeBodies(nginx: Target, weir: Target, rounds: number): Promise<LargeFigures> {
  const names = (): Rounds => new Map([nginx, weir].map(({ name }) => [name, []]));
  const figures = { upload: names(), speech: names() };
  // Memory first, while the process has not yet seen a large body.
  const uploadGrowth = await growthOf(weir, upload);
  const speechGrowth = await growthOf(weir, speak);
  for (let round = 0; round < warmUpRounds; round += 1) {
    for (const target of [nginx, weir]) for (const work of [upload, speak]) await cpuMsOf(target, work);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const target of [nginx, weir]) {
      figures.upload.get(target.name)?.push(await cpuMsOf(target, upload));
      figures.speech.get(target.name)?.push(await cpuMsOf(target, speak));
    }
  }
  return { ...figures, uploadGrowth, speechGrowth };
}
