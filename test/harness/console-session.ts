/** People at the console of a running Weir, and browsers in which they are signed in already. */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Role } from '../../src/access/account.ts';
import { openPage, type WatchedPage } from './browser.ts';
import { ConsoleClient, setUpCodes } from './console-client.ts';
import { until } from './until.ts';
import type { RunningWeir } from './weir.ts';

export const ownerName = 'Olga';
export const passwordOf = (name: string): string => `${name} opens the gates`;

/** Does the set-up by the link of the banner. */
export async function ownerOf(weir: RunningWeir): Promise<ConsoleClient> {
  await until(() => setUpCodes(weir.output()).length > 0, 60_000, 'the set-up link');
  const owner = new ConsoleClient(weir);
  const code = setUpCodes(weir.output()).at(-1);
  const reply = await owner.post('/set-up', { code, name: ownerName, password: passwordOf(ownerName) });
  if (reply.status !== 200) throw new Error(`The set-up was refused: ${JSON.stringify(reply.body)}`);
  return owner;
}

/** A user with a role, named after the role. */
export async function personOf(weir: RunningWeir, owner: ConsoleClient, role: Role): Promise<ConsoleClient> {
  await owner.post('/accounts', { name: role, role, password: passwordOf(role) });
  const person = new ConsoleClient(weir);
  const reply = await person.signIn(role, passwordOf(role));
  if (reply.status !== 200) throw new Error(`${role} could not sign in: ${JSON.stringify(reply.body)}`);
  return person;
}

/** A page of a browser in which this person is signed in. */
export async function openAs(
  browser: Browser,
  weir: RunningWeir,
  person: ConsoleClient,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, options);
  await enterAs(watched, weir, person);
  return watched;
}

/**
 * Before the page becomes that of a person who may do less: otherwise what it asks for as the person before can be refused,
 * which is in the browser's log.
 */
export const leavePerson = (page: Page): Promise<unknown> => page.goto('about:blank');

/** This person is signed in there instead of the person before, from the next load or `visitFresh`. */
export async function enterAs(
  { page }: Pick<WatchedPage, 'page'>,
  { url }: RunningWeir,
  { cookie }: ConsoleClient,
): Promise<void> {
  const [name = '', value = ''] = cookie.split('=', 2);
  await page.context().addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
}
