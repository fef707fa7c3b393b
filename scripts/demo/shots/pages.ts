/** Every page and main state of the console, one row each. What a page does not have yet is reported, not fatal. */

import type { Page } from 'playwright-core';
import { shownPart, shownQuestion } from '../texts.ts';

/** What of the demo data the pages show. */
export interface Subjects {
  readonly origin: string;
  /** Of a second instance without an account. */
  readonly setUpUrl: string;
  readonly failedRequest: string;
  readonly refusedRequest: string;
  readonly fallbackRequest: string;
  readonly tokenId: string;
  /** A secret for the playground where it asks for one. */
  readonly tokenSecret: string;
}

export interface ShotPage {
  readonly name: string;
  /** A path of the demo instance, or a whole URL. */
  address(subjects: Subjects): string;
  /** Seen without being signed in. */
  readonly signedOut?: boolean;
  /** The whole page, not only what a window shows. */
  readonly whole?: boolean;
  /** What a visitor does there first. */
  act?(page: Page, subjects: Subjects): Promise<void>;
}

const actTimeoutMs = 10_000;

const at =
  (path: string): ShotPage['address'] =>
  () =>
    path;

export const shotPages: readonly ShotPage[] = [
  { name: 'overview', address: at('/console?range=30d'), whole: true },
  { name: 'overview-week', address: at('/console?range=7d'), whole: true },
  { name: 'overview-day', address: at('/console?range=24h') },
  { name: 'overview-by-model', address: at('/console?range=30d&by=model'), whole: true },
  { name: 'overview-by-label', address: at('/console?range=30d&by=label'), whole: true },
  { name: 'requests', address: at('/console/requests?range=7d') },
  { name: 'requests-failed', address: at('/console/requests?range=7d&status=4&status=5') },
  { name: 'request-failed', address: ({ failedRequest }) => `/console/requests?range=30d&request=${failedRequest}` },
  { name: 'request-refused', address: ({ refusedRequest }) => `/console/requests?range=30d&request=${refusedRequest}` },
  {
    name: 'request-fallback',
    address: ({ fallbackRequest }) => `/console/requests?range=30d&request=${fallbackRequest}`,
  },
  { name: 'tokens', address: at('/console/tokens') },
  { name: 'token', address: ({ tokenId }) => `/console/tokens?token=${tokenId}` },
  { name: 'new-token', address: at('/console/tokens?new=app') },
  { name: 'teams', address: at('/console/teams') },
  { name: 'new-team', address: at('/console/teams?do=new') },
  { name: 'providers', address: at('/console/providers'), whole: true },
  { name: 'provider-failing', address: at('/console/providers?provider=groq') },
  { name: 'provider-rejected', address: at('/console/providers?provider=mistral') },
  { name: 'add-provider', address: at('/console/providers?add=-') },
  { name: 'models', address: at('/console/models') },
  { name: 'model', address: at('/console/models?model=fast') },
  { name: 'model-price', address: at('/console/models?model=gpt-5.4&view=prices') },
  { name: 'tasks', address: at('/console/tasks') },
  { name: 'alerts', address: at('/console/alerts') },
  ...['appearance', 'people', 'limits', 'security', 'other', 'audit', 'about'].map((section) => ({
    name: `settings-${section}`,
    address: at(`/console/settings?section=${section}`),
  })),
  { name: 'playground', address: at('/console/playground') },
  { name: 'conversation', address: at('/console/playground?model=smart'), act: converse },
  { name: 'conversation-wire', address: at('/console/playground?model=smart'), act: converseWithWire },
  { name: 'device', address: at('/console/device') },
  { name: 'reference', address: at('/console/reference'), signedOut: true },
  { name: 'home', address: at('/'), signedOut: true, whole: true },
  { name: 'sign-in', address: at('/console/sign-in'), signedOut: true },
  { name: 'set-up', address: ({ setUpUrl }) => setUpUrl, signedOut: true },
];

/** The drawer is opened after the conversation: on a phone it covers the rest. */
async function converseWithWire(page: Page, subjects: Subjects): Promise<void> {
  await converse(page, subjects);
  await page.evaluate(() => {
    const address = new URL(location.href);
    address.searchParams.set('drawer', 'wire');
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  });
}

/** A message and its answer; a token is given where the playground asks for one. */
async function converse(page: Page, { tokenSecret }: Subjects): Promise<void> {
  const message = page.locator('main textarea:visible').first();
  const gate = page.locator('section[aria-labelledby=token-gate] input');
  await message.or(gate).first().waitFor({ timeout: actTimeoutMs });
  if (await gate.isVisible()) {
    await gate.fill(tokenSecret);
    await gate.press('Enter');
  }
  await message.waitFor({ timeout: actTimeoutMs });
  await message.fill(shownQuestion);
  await message.press('Enter');
  // The answer is the same whatever the language of the page is.
  await page.getByText(shownPart).first().waitFor({ timeout: actTimeoutMs });
  await page.mouse.move(0, 0);
}
