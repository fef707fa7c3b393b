/** What is wrong with a page that is open in a browser: errors, failed requests, cut text and sideways scrolling. */

import type { Page } from 'playwright-core';

/** Faults of a page by their text, each with the looks in which it was seen. */
export class Faults {
  readonly #seen = new Map<string, Set<string>>();

  add(page: string, text: string, look: string): void {
    const key = `${page}: ${text}`;
    const looks = this.#seen.get(key) ?? new Set();
    this.#seen.set(key, looks.add(look));
  }

  lines(): readonly string[] {
    return [...this.#seen].map(([text, looks]) => `${text} [${[...looks].join(' ')}]`);
  }
}

/** Collects what the browser itself complains about; the returned function empties the list. */
export function collectErrors(page: Page): () => readonly string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    const isNews = message.type() === 'error' || message.type() === 'warning';
    // The reply itself is reported below, with its URL.
    if (isNews && !message.text().startsWith('Failed to load resource')) errors.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`page error: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // A page that is left cancels what it was still reading.
    if (!reason.includes('ERR_ABORTED')) errors.push(`request failed: ${pathOf(request.url())} ${reason}`);
  });
  page.on('response', (reply) => {
    if (reply.status() >= 400) errors.push(`status ${reply.status()}: ${pathOf(reply.url())}`);
  });
  return () => errors.splice(0);
}

const pathOf = (url: string): string => new URL(url).pathname;

/** Text in the window that is cut off, and what scrolls sideways there. */
export function layoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const isWide = (element: Element): boolean => element.scrollWidth > element.clientWidth + 1;
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} px wide and scrolls sideways`);
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      if (!isWide(element) || !element.checkVisibility()) continue;
      const { top, bottom } = element.getBoundingClientRect();
      const { overflowX, clipPath } = getComputedStyle(element);
      const isShown = bottom > 0 && top < innerHeight;
      // For screen readers alone.
      const isClipped = element.clientWidth < 2 || clipPath !== 'none';
      if (!isShown || isClipped) continue;
      const text = (element.innerText ?? '').replace(/\s+/g, ' ').trim();
      if (overflowX === 'auto' || overflowX === 'scroll') {
        const label = element.getAttribute('aria-label') ?? element.querySelector('[aria-label]')?.ariaLabel ?? text;
        faults.push(`scrolls sideways inside: ${label.slice(0, 40)}`);
      } else if (overflowX !== 'visible' && text !== '' && element.childElementCount === 0) {
        faults.push(`cut: ${text.slice(0, 60)}${element.title === '' ? '' : ' (with a title)'}`);
      }
    }
    return [...new Set(faults)];
  });
}
