/** The playground's tabs of sound, video and live conversation, each tried in a real browser with the sandbox and a token: what was made plays, and what was said is heard. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserTimeoutMs, launchBrowser, leaveBrowser } from '../harness/browser.ts';
import { needing } from '../harness/needs.ts';
import { Playground, playSeconds } from '../harness/playground.ts';
import { leaveSandboxWeir, sandboxWeir } from '../harness/shared-weir.ts';
import { until } from '../harness/until.ts';
import type { RunningWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

setDefaultTimeout(browserTimeoutMs);

let weir: RunningWeir;
let browser: Browser;
let playground: Playground;
let page: Page;

beforeAll(async () => {
  [weir, browser] = await Promise.all([sandboxWeir(), launchBrowser()]);
  playground = await Playground.open(weir, browser);
  page = playground.page;
});

afterAll(async () => {
  await leaveBrowser(browser);
  await leaveSandboxWeir();
});

afterEach(() => playground.expectQuiet());

test('speech is heard', async () => {
  await playground.openTab('Speech');
  await page.getByLabel('Text').fill('Please remind me to water the plants tomorrow morning.');
  await playground.press('Generate');
  await playground.result().locator('audio').waitFor();
  expect(await playSeconds(playground.result().locator('audio'))).toBeGreaterThan(2);
  await playground.expectReadable();
});

test('bare samples are heard too', async () => {
  await page.getByLabel('Format').selectOption('pcm');
  await page.getByLabel('Text').fill('Yes.');
  await playground.press('Generate');
  await playground.result().getByText('audio/pcm').waitFor();
  expect(await playSeconds(playground.result().locator('audio'))).toBeGreaterThan(0.2);
});

describe('transcription', () => {
  test('of a sample is what was said, with times', async () => {
    await playground.openTab('Transcription');
    await playground.press('Transcribe a sample');
    await playground.result().locator('[data-part=transcript]').waitFor();
    const text = 'Please remind me to water the plants tomorrow morning.';
    expect(await playground.result().locator('[data-part=transcript]').innerText()).toBe(text);
    await playground
      .result()
      .getByRole('button', { name: /^Play 0:00\.\d–0:0\d\.\d$/ })
      .waitFor();
    await playground.expectReadable();
  });

  test('of a recording takes what the microphone heard, as a file that models read', async () => {
    await playground.press('Record');
    // A busy browser may not show every second.
    await page.getByText(/Recording, \d+:(?!00)\d\d/).waitFor();
    await playground.press('Stop recording');
    await page.getByText('recording.wav').waitFor();
    const sampleSeconds = await playSeconds(playground.result().locator('audio'));
    const replied = page.waitForResponse((reply) => reply.url().endsWith('/v1/audio/transcriptions'));
    await playground.press('Transcribe');
    // What browsers record by themselves would be refused here: the sandbox reads WAV.
    expect((await replied).status()).toBe(200);
    let shownSeconds = sampleSeconds;
    const isShown = async () => {
      shownSeconds = await playSeconds(playground.result().locator('audio'));
      return shownSeconds !== sampleSeconds;
    };
    await until(isShown, 60_000, 'the recording is shown');
    expect(shownSeconds).toBeGreaterThan(0.5);
  });
});

describe('video', () => {
  const statusOf = async (id: string) => (await playground.api(`/videos/${id}`)).status;
  const orders = () =>
    page.evaluate(
      () => JSON.parse(sessionStorage.getItem('weir.playground.video.orders') ?? '[]') as { readonly id: string }[],
    );

  test('is made, plays, and is deleted with the gateway too', async () => {
    await playground.openTab('Video');
    await page.getByLabel('Seconds').fill('1');
    await playground.press('Generate');
    const player = playground.result().locator('video');
    await player.waitFor({ timeout: 240_000 });
    expect(await playSeconds(player)).toBeCloseTo(1, 0);
    const [first] = await orders();
    expect(await statusOf(first?.id ?? '')).toBe(200);
    await playground.expectReadable();
    await page.getByRole('button', { name: /^Delete/ }).click();
    await player.waitFor({ state: 'detached' });
    expect(await statusOf(first?.id ?? '')).toBe(404);
  });

  test('can be cancelled, is remembered after a reload, and says why it failed', async () => {
    await page.getByLabel('Model', { exact: true }).selectOption('sandbox-video-slow');
    await playground.press('Generate');
    await playground
      .result()
      .getByRole('button', { name: /^Cancel/ })
      .waitFor();
    await page.reload();
    await playground.result().getByRole('progressbar').waitFor();
    const [slow] = await orders();
    await playground
      .result()
      .getByRole('button', { name: /^Cancel/ })
      .click();
    await playground.result().getByRole('article').waitFor({ state: 'detached' });
    expect(await statusOf(slow?.id ?? '')).toBe(404);
    await page.getByLabel('Model', { exact: true }).selectOption('sandbox-video-fail');
    await playground.press('Generate');
    await playground.result().getByText('Failed', { exact: true }).waitFor();
    playground.forgetRefusals();
  });
});

describe('a live conversation', () => {
  const talk = () => page.getByRole('region', { name: 'Conversation' });
  const answers = () => talk().locator('[data-who=model] p');
  /** Types of events, with an arrow for their direction. */
  const frames = new Set<string>();
  const note = (direction: string) => (frame: { readonly payload: string | Buffer }) => {
    const { type } = JSON.parse(String(frame.payload)) as { type: string };
    frames.add(`${direction} ${type}`);
  };

  test('is answered in writing and by voice, and can be interrupted', async () => {
    await playground.openTab('Realtime');
    page.once('websocket', (socket) => {
      socket.on('framereceived', note('<'));
      socket.on('framesent', note('>'));
    });
    await playground.press('Start talking');
    await talk().getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Message').fill('Please say the word marzipan.');
    await playground.press('Send');
    await until(async () => /marzipan/.test(await answers().first().innerText()), 60_000, 'an answer');
    await playground.expectReadable();
    await page.getByLabel('Message').fill('Tell me everything that you know about rivers and boats.');
    await playground.press('Send');
    await answers().nth(1).waitFor();
    await playground.press('Interrupt');
    await talk().getByText('interrupted').first().waitFor();
    expect(frames).toContain('< response.output_audio.delta');
    expect(frames).toContain('> response.cancel');
  });

  test('hears the microphone and ends when one hangs up', async () => {
    await playground.press('Turn on microphone');
    await page.getByRole('button', { name: 'Turn off microphone' }).waitFor();
    const loud = () => page.getByLabel('Microphone level').evaluate((level: HTMLMeterElement) => level.value);
    await until(async () => (await loud()) > 0.02, 60_000, 'the microphone is heard');
    expect(frames).toContain('> input_audio_buffer.append');
    await playground.press('Hang up');
    await talk().getByText('Ended', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start talking' }).waitFor();
  });
});
