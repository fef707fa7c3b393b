/** The home page in a real browser: copy buttons fill the clipboard, tabs obey the keyboard, snippets work as they stand, and nothing else is contacted. */

import { expect } from 'bun:test';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { fillSnippet, snippets } from '../../src/snippets/snippets.ts';
import {
  browserTimeoutMs,
  launchBrowser,
  leaveBrowser,
  openPage,
  pasted,
  plainHttpHost,
  type WatchedPage,
} from '../harness/browser.ts';
import { needing } from '../harness/needs.ts';
import { leaveSandboxWeir, sandboxWeir } from '../harness/shared-weir.ts';
import { isFullSize } from '../harness/size.ts';
import type { RunningWeir } from '../harness/weir.ts';

const { afterAll, afterEach, beforeAll, describe, test } = needing('chromium');

let weir: RunningWeir;
let browser: Browser;
let watched: WatchedPage;

beforeAll(async () => {
  [weir, browser] = await Promise.all([sandboxWeir(), launchBrowser()]);
  // The first look at a page builds the console, which no test should have to wait for within its own time.
  await fetch(`${weir.url}/`);
  watched = await openPage(browser);
}, browserTimeoutMs);

afterAll(async () => {
  await leaveBrowser(browser);
  await leaveSandboxWeir();
});

afterEach(async () => {
  watched.take();
  // A permission that one test grants must not reach the next.
  await watched.page.context().clearPermissions();
});

/** The parts of a snippet, or the last one, which is what is run. */
const textsOf = (id: string): string[] =>
  (snippets.find((one) => one.id === id)?.parts ?? []).map(({ template }) =>
    fillSnippet(template, { origin: weir.url, model: 'sandbox-chat' }),
  );
const textOf = (id: string): string => textsOf(id).at(-1) ?? '';

describe('copying', () => {
  test('the button puts the base address on the clipboard and says so', async () => {
    const { page, complaints } = watched;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weir.url });
    await page.goto(`${weir.url}/`);
    const button = page.locator('[data-copy=base-address]');
    await button.click();
    await page.locator('[data-copy=base-address].done').waitFor();
    expect(await button.innerText()).toContain('Copied');
    expect(await page.locator('[role=status]').innerText()).toContain('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(weir.base);
    expect(await page.locator('#base-address').innerText()).toBe(weir.base);
    await page.locator('[data-copy=base-address]:not(.done)').waitFor();
    expect(await button.innerText()).toBe('Copy');
    expect(complaints).toEqual([]);
  });

  test('works over plain http, where browsers withhold the Clipboard API', async () => {
    const { page, complaints } = watched;
    const url = weir.url.replace('127.0.0.1', plainHttpHost);
    await page.goto(`${url}/`);
    expect(await page.evaluate(() => 'clipboard' in navigator && navigator.clipboard !== undefined)).toBe(false);
    await page.locator('[data-copy=base-address]').click();
    await page.locator('[data-copy=base-address].done').waitFor();
    expect(await pasted(page)).toBe(`${url}/v1`);
    // One of the page's protections exists only over https, and the browser says so.
    expect(
      complaints.filter((text) => !text.startsWith('The Cross-Origin-Opener-Policy header has been ignored')),
    ).toEqual([]);
  });

  /** One of the tabs and one of the list; all of them in `npm run soak`. */
  const byHand = snippets.filter(
    ({ common }, index) => isFullSize || index === snippets.findIndex((other) => other.common === common),
  );

  test('by hand gives exactly the text that is shown', async () => {
    const { page, complaints } = watched;
    await page.goto(`${weir.url}/`);
    for (const { id, common } of byHand) {
      if (common) await page.locator(`#tab-${id}`).click();
      else await page.locator('select.more').selectOption(id);
      expect(await page.locator('.panel:visible').count()).toBe(1);
      for (const [index, text] of textsOf(id).entries()) {
        const code = codeOf(id, index);
        await page.locator(`[data-copy=${code}]`).click();
        await page.locator(`[data-copy=${code}].done`).waitFor();
        expect(await pasted(page)).toBe(text);
        expect(await page.locator(`#${code}`).evaluate((element) => element.textContent)).toBe(text);
      }
    }
    expect(complaints).toEqual([]);
  });

  test('of every client gives exactly the text that is shown', async () => {
    const { page, complaints } = watched;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weir.url });
    await page.goto(`${weir.url}/`);
    const clients = snippets.map(({ id, common }) => ({
      id,
      common,
      codes: textsOf(id).map((_, index) => codeOf(id, index)),
    }));
    expect(await page.evaluate(copyEach, clients)).toEqual(
      snippets.map(({ id }) => ({ id, panels: 1, copied: textsOf(id), shown: textsOf(id) })),
    );
    expect(complaints).toEqual([]);
  });
});

const codeOf = (id: string, index: number): string => (index === 0 ? `code-${id}` : `code-${id}-${index + 1}`);

interface ClientCodes {
  readonly id: string;
  readonly common: boolean;
  readonly codes: readonly string[];
}

/** Runs in the page: chooses each client, presses its buttons, and gives back what is shown and what the clipboard holds. */
async function copyEach(clients: readonly ClientCodes[]) {
  const found = <Kind extends HTMLElement>(selector: string): Kind => {
    const element = document.querySelector<Kind>(selector);
    if (element === null || !element.checkVisibility()) throw new Error(`${selector} is not in sight`);
    return element;
  };
  const choose = (id: string) => {
    const list = found<HTMLSelectElement>('select.more');
    list.value = id;
    list.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const copy = async (code: string) => {
    const button = found(`[data-copy=${code}]`);
    button.click();
    while (!button.classList.contains('done')) await new Promise(requestAnimationFrame);
    return navigator.clipboard.readText();
  };
  const results: { id: string; panels: number; copied: string[]; shown: string[] }[] = [];
  for (const { id, common, codes } of clients) {
    if (common) found(`#tab-${id}`).click();
    else choose(id);
    const panels = [...document.querySelectorAll('.panel')].filter((panel) => panel.checkVisibility()).length;
    const result = { id, panels, copied: [] as string[], shown: [] as string[] };
    for (const code of codes) {
      result.copied.push(await copy(code));
      result.shown.push(found(`#${code}`).textContent);
    }
    results.push(result);
  }
  return results;
}

test('tabs follow the arrow keys', async () => {
  const { page } = watched;
  await page.goto(`${weir.url}/`);
  expect(await page.locator('.snippets pre:visible').count()).toBe(1);
  await page.locator('#tab-curl').focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('#tab-python').getAttribute('aria-selected')).toBe('true');
  expect(await page.locator('#code-python').isVisible()).toBe(true);
  expect(await page.locator('#code-curl').isVisible()).toBe(false);
  await page.keyboard.press('End');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tab-gemini-cli');
});

test('a client of the list takes the place of the tab that was chosen, and gives it back', async () => {
  const { page } = watched;
  await page.goto(`${weir.url}/`);
  const selected = () => page.locator('[role=tab][aria-selected=true]').count();
  await page.locator('select.more').selectOption('opencode');
  expect(await selected()).toBe(0);
  expect(await page.locator('#code-opencode').isVisible()).toBe(true);
  await page.locator('#tab-codex').click();
  expect(await selected()).toBe(1);
  expect(await page.locator('select.more').inputValue()).toBe('');
  expect(await page.locator('.panel:visible').count()).toBe(1);
});

test('without JavaScript everything is readable', async () => {
  const plain = await openPage(browser, { javaScriptEnabled: false });
  try {
    await plain.page.goto(`${weir.url}/`);
    expect(await plain.page.locator('#base-address').innerText()).toBe(weir.base);
    for (const { id } of snippets) expect(await plain.page.locator(`#code-${id}`).isVisible()).toBe(true);
    expect(await plain.page.locator('button:visible').count()).toBe(0);
  } finally {
    await plain.close();
  }
});

test('speaks Chinese to those who read it, in the copy button too', async () => {
  const chinese = await openPage(browser, { locale: 'zh-CN' });
  try {
    const { page, complaints } = chinese;
    await page.goto(`${weir.url}/`);
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.locator('[data-copy=base-address]').click();
    await page.locator('[data-copy=base-address].done').waitFor();
    expect(await page.locator('[data-copy=base-address]').innerText()).toContain('已复制');
    expect(complaints).toEqual([]);
  } finally {
    await chinese.close();
  }
});

test('contacts its own origin only, fits a phone, and names pages that answer', async () => {
  const { page, complaints, requested } = watched;
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${weir.url}/`, { waitUntil: 'networkidle' });
  expect(requested.filter((url) => !url.startsWith(`${weir.url}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(requested.length).toBeGreaterThanOrEqual(4);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  await page.setViewportSize(before);
  for (const link of new Set(links)) expect((await fetch(weir.url + link)).status).toBe(200);
  expect(complaints).toEqual([]);
});

describe('the theme', () => {
  test('is changed by its button, and the next page remembers it', async () => {
    const { page } = watched;
    const surface = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto(`${weir.url}/`);
    const before = await surface();
    await page.locator('.theme').click();
    const after = await surface();
    expect(after).not.toBe(before);
    await page.reload();
    expect(await surface()).toBe(after);
  });
});

describe('snippets, as they are pasted', () => {
  const env = () => ({ PATH: process.env['PATH'] ?? '', WEIR_TOKEN: weir.token });

  async function run(words: string[], cwd: string): Promise<string> {
    const child = Bun.spawn(words, { cwd, env: env(), stdout: 'pipe', stderr: 'pipe', timeout: 240_000 });
    const [out, complaints, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    expect(`${code} ${code === 0 ? '' : complaints}`).toBe('0 ');
    return out;
  }

  test('curl gets a reply', async () => {
    const reply = JSON.parse(await run(['bash', '-c', textOf('curl')], '/')) as { choices: unknown[] };
    expect(reply.choices).toHaveLength(1);
  });

  for (const id of ['node', 'ai-sdk']) {
    test(`${id} gets a reply`, async () => {
      // Inside the project, where the libraries are found.
      const folder = join(import.meta.dir, '../..', 'node_modules', '.cache', `weir-snippet-${process.pid}`);
      await mkdir(folder, { recursive: true });
      try {
        await Bun.write(join(folder, 'hello.mjs'), textOf(id));
        expect((await run(['node', 'hello.mjs'], folder)).trim().length).toBeGreaterThan(10);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  test('Python is valid where there is one to ask', async () => {
    const python = Bun.which('python3');
    if (python === null) return console.log('No python3 here: its snippets were not checked.');
    const check = 'import ast, sys\nfor text in sys.argv[1:]: ast.parse(text); print("valid")';
    const ids = ['python', 'langchain', 'llamaindex', 'pydantic-ai'];
    expect(await run([python, '-c', check, ...ids.map(textOf)], '/')).toBe('valid\n'.repeat(ids.length));
    for (const id of ids) {
      expect(textOf(id)).toMatch(new RegExp(`(?:base_url|api_base)="${weir.base}"`));
    }
  });

  test('the settings of agents are what their programs read', async () => {
    expect(Bun.TOML.parse(textsOf('codex')[0] ?? '')).toEqual({
      model: 'sandbox-chat',
      model_provider: 'weir',
      model_providers: { weir: { name: 'Weir', base_url: weir.base, env_key: 'WEIR_TOKEN', wire_api: 'responses' } },
    });
    for (const [id, program, expected] of [
      [
        'claude-code',
        'claude',
        {
          ANTHROPIC_BASE_URL: weir.url,
          ANTHROPIC_AUTH_TOKEN: weir.token,
          ANTHROPIC_MODEL: 'sandbox-chat',
          ANTHROPIC_DEFAULT_HAIKU_MODEL: 'sandbox-chat',
        },
      ],
      [
        'gemini-cli',
        'gemini',
        { GOOGLE_GEMINI_BASE_URL: weir.url, GEMINI_API_KEY: weir.token, GEMINI_MODEL: 'sandbox-chat' },
      ],
      ['aider', 'aider', { OPENAI_API_BASE: weir.base, OPENAI_API_KEY: weir.token }],
      [
        'open-webui',
        'open-webui',
        { OPENAI_API_BASE_URL: weir.base, OPENAI_API_KEY: weir.token, DEFAULT_MODELS: 'sandbox-chat' },
      ],
    ] as const) {
      // The shell runs it with a stand-in for the program, which tells what it was given.
      const told = await run(['bash', '-c', `${program}() { env; }\n${textOf(id)}`], '/');
      expect(told.split('\n')).toEqual(
        expect.arrayContaining(Object.entries(expected).map(([name, value]) => `${name}=${value}`)),
      );
    }
  });
});
