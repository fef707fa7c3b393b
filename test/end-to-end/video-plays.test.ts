/** A video of the sandbox through the official library and in a real browser: length, playing and seeking. */

import { expect } from 'bun:test';
import OpenAI from 'openai';
import type { Browser } from 'playwright-core';
import { launchBrowser, leaveBrowser } from '../harness/browser.ts';
import { needing } from '../harness/needs.ts';
import { leaveSandboxWeir, sandboxWeir } from '../harness/shared-weir.ts';
import { until } from '../harness/until.ts';
import type { RunningWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, test } = needing('chromium');

const browserTimeoutMs = 300_000;
let weir: RunningWeir;

beforeAll(async () => {
  weir = await sandboxWeir();
});
afterAll(async () => {
  await leaveSandboxWeir();
});

interface Shown {
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  /** The position after seeking, and a checksum of the frame there. */
  readonly places: readonly { readonly at: number; readonly checksum: number }[];
}

/** Runs in the page: loads the video, seeks to three positions and reads the frames there. */
async function watch(url: string): Promise<Shown> {
  const video = document.createElement('video');
  video.muted = true;
  video.crossOrigin = 'anonymous';
  const happened = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      video.addEventListener(name, () => resolve(), { once: true });
      video.addEventListener('error', () => reject(new Error(video.error?.message ?? 'no video')), { once: true });
    });
  // The event of the seek may come before its frame is what a canvas gets.
  const presented = (at: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (_: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
        if (Math.abs(mediaTime - at) < 0.1) resolve();
        else video.requestVideoFrameCallback(look);
      };
      video.requestVideoFrameCallback(look);
    });
  const loaded = happened('loadeddata');
  video.src = url;
  document.body.append(video);
  await loaded;
  const places: { at: number; checksum: number }[] = [];
  for (const at of [0.4, 1.6, 1]) {
    const seeked = Promise.all([happened('seeked'), presented(at)]);
    video.currentTime = at;
    await seeked;
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    const pen = canvas.getContext('2d');
    pen?.drawImage(video, 0, 0);
    const data = pen?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray();
    let checksum = 0;
    for (let index = 0; index < data.length; index += 7)
      checksum = (checksum * 31 + (data[index] ?? 0)) % 1_000_000_007;
    places.push({ at: video.currentTime, checksum });
  }
  const playing = happened('timeupdate');
  await video.play();
  await playing;
  return { duration: video.duration, width: video.videoWidth, height: video.videoHeight, places };
}

test(
  'create, poll and download by the library; seek and play in Chromium',
  async () => {
    const client = new OpenAI({ apiKey: weir.token, baseURL: weir.base });
    let video = await client.videos.create({
      model: 'sandbox-video',
      prompt: 'a red boat on the sea under a bright sun',
      seconds: '2' as never,
      size: '640x360' as never,
    });
    expect(video).toMatchObject({ object: 'video', status: 'queued', seconds: '2', size: '640x360' });
    const done = async (): Promise<boolean> => {
      video = await client.videos.retrieve(video.id);
      return video.status === 'completed' || video.status === 'failed';
    };
    await until(done, 60_000, 'the video is made');
    expect(video).toMatchObject({ status: 'completed', progress: 100, error: null });
    const bytes = await (await client.videos.downloadContent(video.id)).bytes();
    expect(Buffer.from(bytes.subarray(4, 8)).toString()).toBe('ftyp');
    const task = (await (
      await fetch(`${weir.base}/video/generations/${video.id}`, { headers: { authorization: `Bearer ${weir.token}` } })
    ).json()) as { url: string; metadata: { duration: number; fps: number } };
    expect(await (await fetch(task.url)).bytes()).toEqual(bytes);

    let browser: Browser | undefined;
    try {
      browser = await launchBrowser();
      const page = await browser.newPage();
      await page.goto(`${weir.url}/healthz`);
      const shown = await page.evaluate(watch, task.url);
      expect(shown.duration).toBeCloseTo(task.metadata.duration, 1);
      expect([shown.width, shown.height]).toEqual([640, 360]);
      expect(shown.places.map(({ at }) => at)).toEqual([0.4, 1.6, 1]);
      // It moves: no two of the frames are equal.
      expect(new Set(shown.places.map(({ checksum }) => checksum)).size).toBe(3);
    } finally {
      await leaveBrowser(browser);
    }
  },
  browserTimeoutMs + 60_000,
);
