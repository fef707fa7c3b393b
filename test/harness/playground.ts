/** The playground in a real browser with a token pasted: its tabs opened as a person does, and what they show compared with the API itself. */

import { expect } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { faultsByTheme, type KeptByTab, openPage, type WatchedPage } from './browser.ts';
import type { RunningWeir } from './weir.ts';

const waitMs = 240_000;

/** What a tab of the playground keeps once this token was pasted there. */
export const pastedToken = (value: string): KeptByTab => ({ 'weir.playground-token': { value, kind: 'pasted' } });

export class Playground {
  readonly #weir: RunningWeir;
  readonly #watched: WatchedPage;
  readonly page: Page;

  private constructor(weir: RunningWeir, watched: WatchedPage) {
    this.#weir = weir;
    this.#watched = watched;
    this.page = watched.page;
  }

  static async open(weir: RunningWeir, browser: Browser): Promise<Playground> {
    const viewport = { width: 1440, height: 900 };
    const watched = await openPage(browser, { viewport, reducedMotion: 'reduce', permissions: ['microphone'] });
    const playground = new Playground(weir, watched);
    const { page } = playground;
    page.setDefaultTimeout(waitMs);
    await page.goto(`${weir.url}/console/playground`);
    await page.getByLabel('Weir token').fill(weir.token);
    await page.getByRole('button', { name: 'Use token' }).click();
    await page.getByRole('tab', { name: 'Embeddings' }).waitFor();
    return playground;
  }

  /** The browser reported no error about the page, which called only the gateway. */
  expectQuiet(): void {
    const { complaints, requested } = this.#watched;
    expect(complaints).toEqual([]);
    const own = new RegExp(`^(${this.#weir.url}/|data:|blob:|ws:)`);
    expect(requested.filter((url) => !own.test(url))).toEqual([]);
  }

  /** The browser logs every refused request in its console; where a test expects refusals, that is no fault. */
  forgetRefusals(): void {
    const complaints = this.#watched.complaints as string[];
    const others = complaints.filter((text) => !text.startsWith('Failed to load resource'));
    complaints.splice(0, complaints.length, ...others);
  }

  press = (name: string): Promise<void> => this.page.getByRole('button', { name, exact: true }).click();
  result = (): Locator => this.page.getByRole('region', { name: 'Result' });

  async openTab(name: string): Promise<void> {
    await this.page.getByRole('tab', { name, exact: true }).click();
    await this.page.getByLabel('Model', { exact: true }).waitFor();
  }

  async expectReadable(): Promise<void> {
    expect(await faultsByTheme(this.page)).toEqual([]);
  }

  api(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#weir.token}`, ...init.headers };
    return fetch(this.#weir.base + path, { ...init, headers });
  }

  async post<Answer>(path: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return (await this.api(path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<Answer>;
  }
}

/** How long audio or a video plays; fails where it does not. */
export function playSeconds(player: Locator): Promise<number> {
  return player.evaluate(
    (media: HTMLMediaElement) =>
      new Promise<number>((resolve, reject) => {
        if (media.readyState > 0) resolve(media.duration);
        media.addEventListener('loadedmetadata', () => resolve(media.duration), { once: true });
        const fail = () => reject(new Error(media.error?.message ?? 'it does not play'));
        media.addEventListener('error', fail, { once: true });
      }),
  );
}
