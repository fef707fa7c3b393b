/** A real browser for tests, and pages that record their errors and their requests. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { isFullSize } from './size.ts';

export const browserTimeoutMs = 300_000;

/** The build without a window where it is installed: it starts in a third of the time. */
function browserPath(): string {
  const found = ['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => Bun.which(name)).find(Boolean);
  return found ?? '/usr/bin/chromium';
}

/**
 * `hosts` are names that resolve to this machine; `microphone` gives the browser one that beeps, and
 * permission to use it.
 */
export async function launchBrowser(hosts: readonly string[] = [], { microphone = false } = {}): Promise<Browser> {
  // Half a second of processor time that only a suite with a browser spends.
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(microphone ? ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'] : []),
      ...(hosts.length > 0 ? [`--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(',')}`] : []),
    ],
  });
}

/** A theme and a width in pixels. */
interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

/** Each theme and each width once; all four in `npm run soak`. */
export const looks: readonly Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
  ...(isFullSize
    ? ([
        { colorScheme: 'dark', width: 1440 },
        { colorScheme: 'light', width: 390 },
      ] as const)
    : []),
];

export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the browser's console, refusals of the content policy among them. */
  readonly complaints: readonly string[];
  readonly requested: readonly string[];
  /** What was recorded since the last time: tests that share a page each answer for their own. */
  take(): { readonly complaints: readonly string[]; readonly requested: readonly string[] };
  close(): Promise<void>;
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  const take = () => ({ complaints: complaints.splice(0), requested: requested.splice(0) });
  return { page, complaints, requested, take, close: () => context.close() };
}

/**
 * Goes to an address of the console as its own links do, a tenth of the cost of loading it. The page between
 * leaves nothing of the view before it; lists that were asked for within ten seconds are not asked for again.
 */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(async (to) => {
    const rendered = () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    history.pushState(null, '', '/console/nowhere');
    dispatchEvent(new PopStateEvent('popstate'));
    await rendered();
    history.replaceState(history.state, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    await rendered();
  }, address);
}

/** The text that a paste gives: the only access to the clipboard that every page allows. */
export async function pasted(page: Page): Promise<string> {
  await page.evaluate(() => {
    document.getElementById('paste-here')?.remove();
    const field = document.createElement('textarea');
    field.id = 'paste-here';
    document.body.append(field);
    field.focus();
  });
  await page.keyboard.press('Control+V');
  const text = await page.locator('#paste-here').inputValue();
  await page.evaluate(() => document.getElementById('paste-here')?.remove());
  return text;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The violated accessibility rules of the page, with their elements. Evaluated, not loaded: the page's
 * policy allows no foreign script.
 */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  // Colors in the middle of a theme's transition would be judged by chance.
  await page.evaluate(async () => {
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
    interface Violation {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
    }
    const { violations } = await axe.run({ resultTypes: ['violations'], ancestry: false, xpath: false });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  });
}
