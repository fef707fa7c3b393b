/** The playground's tabs of texts and pictures, each tried in a real browser with the sandbox and a token: what is shown is what the API answered. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserTimeoutMs, launchBrowser, leaveBrowser, visit } from '../harness/browser.ts';
import { needing } from '../harness/needs.ts';
import { Playground } from '../harness/playground.ts';
import { leaveSandboxWeir, sandboxWeir } from '../harness/shared-weir.ts';
import type { RunningWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, test } = needing('chromium');

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

test('completions are streamed', async () => {
  await playground.openTab('Completions');
  expect(new URL(page.url()).searchParams.get('tab')).toBe('completions');
  await playground.press('Complete');
  await playground.result().getByText('Stopped: stop').waitFor();
  const text = await page.locator('[data-part=completion]').innerText();
  const prompt = await page.getByLabel('Prompt').inputValue();
  const whole = await playground.post<{ choices: { text: string }[] }>('/completions', {
    model: 'sandbox-chat',
    prompt,
    max_tokens: 256,
  });
  expect(text.trim()).toBe(whole.choices[0]?.text.trim() ?? 'no text');
  await playground.expectReadable();
});

test('embeddings show how alike the texts are, by the vectors that the API gives', async () => {
  await playground.openTab('Embeddings');
  await playground.press('Embed');
  const rows = playground.result().getByRole('region', { name: 'Similarity of the texts' }).locator('tbody tr');
  await rows.first().waitFor();
  const texts = (await page.getByLabel('Texts', { exact: true }).inputValue()).split('\n');
  const { data } = await playground.post<{ data: { embedding: number[] }[] }>('/embeddings', {
    model: 'sandbox-embed',
    input: texts,
  });
  const likeness = (left: number, right: number) =>
    (data[left]?.embedding ?? []).reduce((sum, value, at) => sum + value * (data[right]?.embedding[at] ?? 0), 0);
  expect(await rows.count()).toBe(texts.length);
  for (const [row, column] of [
    [0, 1],
    [0, 2],
    [2, 3],
  ] as const) {
    const shown = Number(await rows.nth(row).locator('td').nth(column).innerText());
    expect(shown).toBeCloseTo(likeness(row, column), 2);
  }
  await playground.result().getByText('Most similar: 1 and 2').waitFor();
  await playground.expectReadable();
});

test('a refusal says what was wrong, with its code and the request it belongs to', async () => {
  await page.getByLabel('Dimensions').fill('99999');
  await playground.press('Embed');
  const alert = page.getByRole('alert');
  await alert.getByText('field_invalid').waitFor();
  expect(await alert.innerText()).toContain('req_');
  await page.getByLabel('Dimensions').fill('');
  playground.forgetRefusals();
});

test('what was typed and what came of it stay while another tab is looked at; the back button leads there', async () => {
  await page.getByLabel('Texts', { exact: true }).fill('One text alone');
  await playground.press('Embed');
  await playground.result().getByRole('region', { name: 'Vectors' }).getByText('One text alone').waitFor();
  await playground.openTab('Rerank');
  await page.goBack();
  expect(await page.getByLabel('Texts', { exact: true }).inputValue()).toBe('One text alone');
  await playground.result().getByRole('region', { name: 'Vectors' }).getByText('One text alone').waitFor();
});

test('pictures are drawn in the size and number that was asked for, and can be kept', async () => {
  await playground.openTab('Images');
  await page.getByLabel('Size').selectOption('256x256');
  await page.getByLabel('Count', { exact: true }).selectOption('2');
  await playground.press('Generate');
  const pictures = playground.result().locator('img');
  await pictures.nth(1).waitFor();
  for (const picture of await pictures.all()) {
    expect(
      await picture.evaluate(async (image: HTMLImageElement) => {
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
      }),
    ).toEqual([256, 256]);
  }
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download image 2' }).click();
  const path = await (await download).path();
  expect(Buffer.from((await Bun.file(path).bytes()).subarray(1, 4)).toString()).toBe('PNG');
  await playground.expectReadable();
});

/** Runs in the page: how many pixels of two pictures differ inside a box and outside it. */
async function compare({ before, after, box }: { before: string; after: string; box: number[] }) {
  const [left = 0, top = 0, width = 0, height = 0] = box;
  const pixels = async (selector: string) => {
    const image = document.querySelector<HTMLImageElement>(selector);
    if (image === null) throw new Error(`no ${selector}`);
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const pen = canvas.getContext('2d');
    pen?.drawImage(image, 0, 0);
    return pen?.getImageData(0, 0, canvas.width, canvas.height) ?? new ImageData(1, 1);
  };
  const [one, other] = [await pixels(before), await pixels(after)];
  const changed = { inside: 0, outside: 0, sameSize: one.width === other.width && one.height === other.height };
  for (let at = 0; at < one.data.length; at += 4) {
    const away = [0, 1, 2].some((part) => Math.abs((one.data[at + part] ?? 0) - (other.data[at + part] ?? 0)) > 2);
    if (!away) continue;
    const x = (at / 4) % one.width;
    const y = Math.floor(at / 4 / one.width);
    if (x >= left && x < left + width && y >= top && y < top + height) changed.inside++;
    else changed.outside++;
  }
  return changed;
}

test('an edit changes what was painted and nothing else, painted by hand or by numbers', async () => {
  await playground.openTab('Edits');
  const canvas = page.getByRole('img', { name: 'Image mask editor' });
  const place = await canvas.boundingBox();
  if (place === null) throw new Error('there is nothing to paint on');
  await page.mouse.move(place.x + 40, place.y + 40);
  await page.mouse.down();
  await page.mouse.move(place.x + 120, place.y + 90, { steps: 6 });
  await page.mouse.up();
  const opaque = () =>
    canvas.evaluate((element: HTMLCanvasElement) => {
      // A copy, because a canvas that is read often would be another one than people paint on.
      const copy = new OffscreenCanvas(element.width, element.height).getContext('2d', { willReadFrequently: true });
      copy?.drawImage(element, 0, 0);
      const { data } = copy?.getImageData(0, 0, element.width, element.height) ?? { data: [] };
      let count = 0;
      for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 0) > 0) count++;
      return count;
    });
  await page.getByText('Marks on the image: 1').waitFor({ state: 'attached' });
  expect(await opaque()).toBeGreaterThan(3_000);
  await playground.press('Undo');
  expect(await opaque()).toBe(0);
  await page.getByText('Select a rectangle by coordinates').click();
  for (const [label, value] of [
    ['Left', '100'],
    ['Top', '50'],
    ['Width', '200'],
    ['Height', '150'],
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
  await playground.press('Paint');
  expect(await opaque()).toBe(200 * 150);
  await playground.expectReadable();
  await playground.press('Edit');
  await playground.result().locator('img').waitFor();
  const changed = await page.evaluate(compare, {
    before: 'form img',
    after: 'section[aria-labelledby] img',
    box: [100, 50, 200, 150],
  });
  expect(changed).toMatchObject({ outside: 0, sameSize: true });
  expect(changed.inside).toBeGreaterThan(500);
});

test('documents stand in the order of their scores', async () => {
  await playground.openTab('Rerank');
  await playground.press('Rerank');
  const rows = playground.result().locator('ol > li');
  await rows.first().waitFor();
  const documents = (await page.getByLabel('Documents').inputValue()).split('\n');
  const { results } = await playground.post<{ results: { index: number; relevance_score: number }[] }>('/rerank', {
    model: 'sandbox-rerank',
    query: await page.getByLabel('Query').inputValue(),
    documents,
  });
  const shown = await rows.allInnerTexts();
  expect(shown.length).toBe(results.length);
  for (const [at, { index, relevance_score }] of results.entries()) {
    expect(shown[at]).toContain(documents[index] ?? 'no document');
    expect(shown[at]).toContain(relevance_score.toFixed(3));
  }
  await playground.expectReadable();
});

test('moderation flags what breaks the rules, category by category', async () => {
  await playground.openTab('Moderation');
  await playground.press('Check');
  await playground.result().getByText('Flagged', { exact: true }).first().waitFor();
  const categories = playground.result().locator('dl').filter({ hasText: 'Flagged' }).locator('dt');
  expect(await categories.count()).toBe(13);
  expect(await categories.first().innerText()).toContain('Flagged');
  await playground.expectReadable();
  await playground.press('Another example');
  await playground.press('Check');
  await playground.result().getByText('Not flagged').waitFor();
});

test('on a phone every tab keeps to the screen, and only what is in it scrolls', async () => {
  await page.setViewportSize({ width: 360, height: 780 });
  for (const tab of ['embeddings', 'edits', 'moderation', 'transcription', 'realtime']) {
    await visit(page, `/console/playground?tab=${tab}`);
    await page.getByLabel('Model', { exact: true }).waitFor();
    const size = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.scrollHeight - innerHeight,
    ]);
    expect([tab, ...size]).toEqual([tab, 360, 0]);
  }
});
