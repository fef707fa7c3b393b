/** A real browser for tests, and pages that record their errors and their requests. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { isFullSize, sampled } from './size.ts';

export const browserTimeoutMs = 300_000;

/** The build without a window where it is installed: it starts in a third of the time. */
function browserPath(): string {
  const found = ['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => Bun.which(name)).find(Boolean);
  return found ?? '/usr/bin/chromium';
}

/** A name of this machine that is not localhost: browsers give a page there no Clipboard API unless it comes over https. */
export const plainHttpHost = 'weir.test';

let browserOfProcess: Promise<Browser> | undefined;
let isShared = false;

/** From now on the files of this process share one browser, until `endBrowser`. */
export function shareBrowser(): void {
  isShared = true;
}

export function isBrowserShared(): boolean {
  return isShared;
}

/** The browser of this process. It has a microphone that beeps, with permission to use it. */
export function launchBrowser(): Promise<Browser> {
  browserOfProcess ??= startBrowser();
  return browserOfProcess;
}

/** Closes every page of a file with its cookies and storage, and the browser too unless it is shared. */
export async function leaveBrowser(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  if (!isShared) await endBrowser();
}

export async function endBrowser(): Promise<void> {
  const browser = await browserOfProcess;
  browserOfProcess = undefined;
  await browser?.close();
}

async function startBrowser(): Promise<Browser> {
  // Half a second of processor time that only a suite with a browser spends.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Pages live for seconds here: without compilers that pay off later, and with one process and fewer threads, the
      // same work takes a third less processor time.
      '--in-process-gpu',
      '--num-raster-threads=1',
      '--renderer-process-limit=1',
      '--js-flags=--single-threaded,--no-opt,--no-maglev',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--host-resolver-rules=MAP ${plainHttpHost} 127.0.0.1`,
    ],
  });
  // After one that ended too early the next file starts another.
  browser.on('disconnected', () => {
    browserOfProcess = undefined;
  });
  return browser;
}

/** A theme and a width in pixels. */
export interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

export const everyLook: readonly Look[] = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 390 },
];

/** The one where contrast and room are hardest to get right; all four in `npm run soak`. Every page is judged in each elsewhere. */
export const looks: readonly Look[] = isFullSize ? everyLook : everyLook.slice(1, 2);

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

/** What a tab of the console keeps, by its place in the session storage. */
export type KeptByTab = Readonly<Record<string, unknown>>;

/**
 * Goes to an address of the console as its own links do, a tenth of the cost of loading it. The page between
 * leaves nothing of the view before it; lists that were asked for within ten seconds are not asked for again.
 */
export function visit(page: Page, address: string): Promise<void> {
  return go(page, address);
}

/** Goes there as `visit` does. Of what was done in this tab before nothing is kept, except what is given: a token, a draft. */
export function visitKeeping(page: Page, address: string, kept: KeptByTab = {}): Promise<void> {
  return go(page, address, kept);
}

async function go(page: Page, address: string, kept?: KeptByTab): Promise<void> {
  const going = async ([to, places]: readonly [string, KeptByTab | null]) => {
    const rendered = () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    history.pushState(null, '', '/console/nowhere');
    dispatchEvent(new PopStateEvent('popstate'));
    await rendered();
    if (places !== null) {
      for (const storage of [sessionStorage, localStorage]) storage.clear();
      for (const [place, value] of Object.entries(places)) sessionStorage.setItem(place, JSON.stringify(value));
    }
    history.replaceState(history.state, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    await rendered();
  };
  await page.evaluate(going, [address, kept ?? null] as const);
}

/**
 * Like `visit`, but as after a load: nothing typed, no notice and no answer of Weir is kept, and who is signed in is asked
 * again. For what a test changed elsewhere, and cheaper than a load. A page that shows something else than the console of
 * a full address is loaded.
 */
export async function visitFresh(page: Page, address: string): Promise<void> {
  if (!address.startsWith('/') && !page.url().startsWith(`${new URL(address).origin}/console`)) {
    await page.goto(address);
    return;
  }
  await page.evaluate(async (to) => {
    interface Fiber {
      readonly child: Fiber | null;
      readonly memoizedProps: { readonly queries?: Queries } | null;
    }
    interface Queries {
      removeQueries(which: { readonly type: 'inactive' }): void;
      invalidateQueries(which: { predicate(query: { readonly queryKey: readonly unknown[] }): boolean }): Promise<void>;
    }
    const rendered = () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    /** What the application was mounted with; React keeps it at its root. */
    const queriesOf = (): Queries => {
      const root = document.getElementById('console') ?? document.body;
      const mounted = Object.entries(root).find(([name]) => name.startsWith('__reactContainer$'))?.[1];
      let fiber = (mounted as { readonly stateNode: { readonly current: Fiber } } | undefined)?.stateNode.current;
      while (fiber !== undefined && fiber.memoizedProps?.queries === undefined) fiber = fiber.child ?? undefined;
      if (fiber?.memoizedProps?.queries === undefined) throw new Error('The page is not one of the console');
      return fiber.memoizedProps.queries;
    };
    // With the number of the entry before: not a step that asks whether to leave what was typed.
    history.pushState(history.state, '', '/console/nowhere');
    dispatchEvent(new PopStateEvent('popstate'));
    await rendered();
    for (const button of document.querySelectorAll<HTMLElement>('section[aria-live=polite] button')) button.click();
    const queries = queriesOf();
    // First who is signed in: what only the person before could ask for is not asked for any more.
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'visitor' });
    await rendered();
    queries.removeQueries({ type: 'inactive' });
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'visitor' });
    history.replaceState(history.state, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    await rendered();
  }, address);
}

const pasteTriesMax = 20;

/** The text that a paste gives: the only access to the clipboard that every page allows. */
export async function pasted(page: Page): Promise<string> {
  for (let tries = 0; tries < pasteTriesMax; tries += 1) {
    await page.evaluate(() => {
      const field = document.createElement('textarea');
      field.id = 'paste-here';
      document.body.append(field);
      field.focus();
    });
    await page.keyboard.press('Control+V');
    const text = await page.evaluate(() => {
      const field = document.activeElement;
      const isHere = field instanceof HTMLTextAreaElement && field.id === 'paste-here';
      document.getElementById('paste-here')?.remove();
      return isHere ? field.value : undefined;
    });
    // A page that is still being built may move the focus to a field of its own.
    if (text !== undefined) return text;
  }
  throw new Error('The page took the focus from every field that was to be pasted into.');
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A panel or a question above a page that is judged elsewhere. */
export const dialog = '[role=dialog]';

/**
 * The violated accessibility rules of the page, with their elements. Evaluated, not loaded: the page's
 * policy allows no foreign script. Where a part is named, only that is judged; the whole page in `npm run soak`.
 * Contrast costs half of it: it is judged where a test is about every page, every component or a theme, and in `npm run soak` always.
 */
export async function accessibilityFaults(page: Page, part = 'html', contrast = false): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  // Colors in the middle of a theme's transition would be judged by chance.
  await page.evaluate(async () => {
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  return page.evaluate(
    async ([judged, withContrast]) => {
      const { axe } = window as unknown as {
        axe: { run(part: string, options: object): Promise<{ violations: Violation[] }> };
      };
      interface Violation {
        readonly id: string;
        readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
      }
      const rules = { 'color-contrast': { enabled: withContrast } };
      const options = { resultTypes: ['violations'], ancestry: false, xpath: false, rules };
      const { violations } = await axe.run(judged, options);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
      );
    },
    [isFullSize ? 'html' : part, isFullSize || contrast] as const,
  );
}

/** The themes that one judgment looks at: one of them, the other at the next; both in `npm run soak`. */
function themesJudged(): readonly ('light' | 'dark')[] {
  return sampled(['dark', 'light'] as const, judgments++);
}

let judgments = 0;

/** The violated accessibility rules of a page as it is, or of a part of it, with the theme that breaks them. The page keeps the last theme. */
export async function faultsByTheme(
  page: Page,
  part?: string,
): Promise<readonly (readonly [theme: string, fault: string])[]> {
  const faults: (readonly [string, string])[] = [];
  for (const colorScheme of themesJudged()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    faults.push(...(await accessibilityFaults(page, part, true)).map((fault) => [colorScheme, fault] as const));
  }
  return faults;
}
