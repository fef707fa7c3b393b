/** Takes the screenshots: every page in every width, theme and language, and those of the documentation. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, leaveBrowser, openPage } from '../../../test/harness/browser.ts';
import { openAs } from '../../../test/harness/console-session.ts';
import type { Demo } from '../make-data.ts';
import { ownerName } from '../people.ts';
import { collectErrors, Faults, layoutFaults } from './page-faults.ts';
import { type ShotPage, type Subjects, shotPages } from './pages.ts';
import { findSubjects } from './subjects.ts';

/** A page is opened once for each group and resized within it; a phone is another device. */
const widthGroups = [[1440, 1280, 1024], [390]] as const;
const documentWidth = 1440;
const themes = ['light', 'dark'] as const;
const locales = { en: 'en-US', zh: 'zh-CN' } as const;
const settleTimeoutMs = 15_000;
const heightMax = 8_000;

type Theme = (typeof themes)[number];

interface ShotOptions {
  readonly folder: string;
  /** Only pages whose name contains one of these; all where it is empty. */
  readonly only: readonly string[];
  report(line: string): void;
}

/** Names say page, width, theme and language; what is wrong with the pages is in `report.txt`. */
export async function takeShots(demo: Demo, { folder, only, report }: ShotOptions): Promise<void> {
  const pages = shotPages.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  const faults = new Faults();
  if (lacksChineseFont())
    report('No Chinese font is installed: install one, such as fonts-noto-cjk, for readable pages.');
  await mkdir(folder, { recursive: true });
  await withBrowser(demo, async (browser, subjects) => {
    for (const [language, locale] of Object.entries(locales)) {
      for (const theme of themes) {
        for (const shot of pages) {
          for (const group of widthGroups) {
            const page = await openShot({ browser, demo, shot, theme, width: group[0], options: { locale } });
            await takeWidths({ page, shot, subjects, faults, folder, widths: group, look: `${theme}-${language}` });
            await page.context().close();
          }
        }
        report(`Screenshots: ${pages.length} pages, ${theme}, ${language}`);
      }
    }
  });
  await writeFile(join(folder, 'report.txt'), `${faults.lines().join('\n')}\n`);
  for (const line of faults.lines()) if (!/: (?:cut|scrolls sideways inside): /.test(line)) report(line);
}

/** Where it can be found out. */
function lacksChineseFont(): boolean {
  return Bun.which('fc-list') !== null && Bun.spawnSync(['fc-list', ':lang=zh']).stdout.length === 0;
}

interface WidthShots {
  readonly page: Page;
  readonly shot: ShotPage;
  readonly subjects: Subjects;
  readonly faults: Faults;
  readonly folder: string;
  readonly widths: readonly number[];
  readonly look: string;
}

async function takeWidths({ page, shot, subjects, faults, folder, widths, look }: WidthShots): Promise<void> {
  const errors = collectErrors(page);
  await arrive(page, shot, subjects, (text) => faults.add(shot.name, text, look));
  for (const width of widths) {
    await resize(page, sizeOf(width));
    if (shot.whole === true) await resize(page, { width, height: await pageHeight(page) });
    await page.screenshot({ path: join(folder, `${shot.name}-${width}-${look}.png`) });
    for (const text of [...errors(), ...(await layoutFaults(page))]) faults.add(shot.name, text, `${width}-${look}`);
  }
}

interface DocumentShot {
  readonly page: string;
  readonly file: string;
  readonly theme: Theme;
}

const documentShots: readonly DocumentShot[] = [
  { page: 'overview', file: 'overview', theme: 'light' },
  { page: 'request-fallback', file: 'request', theme: 'light' },
  { page: 'providers', file: 'providers', theme: 'dark' },
  { page: 'conversation-wire', file: 'playground', theme: 'light' },
];
/** Small enough for a repository, and sharp. */
const quality = 80;

/** In double resolution, as WebP. */
export async function takeDocumentShots(demo: Demo, folder: string, report: ShotOptions['report']): Promise<void> {
  await withBrowser(demo, async (browser, subjects) => {
    for (const { page: name, file, theme } of documentShots) {
      const shot = shotPages.find((each) => each.name === name);
      if (shot === undefined) throw new Error(`There is no page ${name}.`);
      const options = { locale: locales.en, deviceScaleFactor: 2 };
      const page = await openShot({ browser, demo, shot, theme, width: documentWidth, options });
      await arrive(page, shot, subjects, (text) => report(`${name}: ${text}`));
      const session = await page.context().newCDPSession(page);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
      const bytes = Buffer.from(data, 'base64');
      await writeFile(join(folder, `${file}.webp`), bytes);
      report(`${join(folder, `${file}.webp`)}: ${Math.round(bytes.length / 1_024)} KB`);
      await page.context().close();
    }
  });
}

async function withBrowser(demo: Demo, work: (browser: Browser, subjects: Subjects) => Promise<void>): Promise<void> {
  const subjects = await findSubjects(demo);
  const browser = await launchBrowser();
  try {
    await work(browser, subjects);
  } finally {
    await leaveBrowser(browser);
    await subjects.end();
  }
}

interface Opening {
  readonly browser: Browser;
  readonly demo: Demo;
  readonly shot: ShotPage;
  readonly theme: Theme;
  readonly width: number;
  readonly options: BrowserContextOptions;
}

async function openShot({ browser, demo, shot, theme, width, options }: Opening): Promise<Page> {
  const all = { ...options, colorScheme: theme, reducedMotion: 'reduce', viewport: sizeOf(width) } as const;
  if (shot.signedOut === true) return (await openPage(browser, all)).page;
  const owner = await demo.administrator.client(ownerName);
  return (await openAs(browser, demo.weir, owner, all)).page;
}

async function arrive(page: Page, shot: ShotPage, subjects: Subjects, fault: (text: string) => void): Promise<void> {
  try {
    await page.goto(new URL(shot.address(subjects), subjects.origin).href);
    await page.locator('h1').first().waitFor({ timeout: settleTimeoutMs });
    await settle(page);
    await shot.act?.(page, subjects);
    await settle(page);
  } catch (error) {
    fault(`could not be shown as meant: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  }
}

async function resize(page: Page, size: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(size);
  await settle(page);
}

/** A window of this height shows the whole page, with its bars where they belong. */
async function pageHeight(page: Page): Promise<number> {
  return Math.min(heightMax, await page.evaluate(() => document.documentElement.scrollHeight));
}

const sizeOf = (width: number) => ({ width, height: width < 600 ? 844 : 900 });

/** Nothing is loading, drawn or moving any more; a page that never rests is shown as it is. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: settleTimeoutMs }).catch(() => undefined);
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}
