/** `weir login` and `weir logout`: sign in to a Weir as a person, and print a token for scripts. */

import { userConfigFolder } from '../../config/user-folder.ts';
import { ArgumentError, type CommandWords, readArguments } from '../arguments.ts';
import { exitCodes, type Output, reportMistakes } from '../output.ts';
import { createDeviceClient, type DeviceClient, LoginError } from './device-client.ts';
import { type Login, type LoginFile, loginFile } from './login-file.ts';

const usage = `Usage: weir login --url URL
       weir login --print-token
       weir login --status-line
       weir logout

Signs this computer in to the Weir at URL: prints a URL and a code, and waits until you approve it in the console. The
tokens are stored in login.json in your configuration folder; only you can read the file.

  --url URL       the URL of the Weir, as https://weir.example.com
  --print-token   print an access token that is valid for at least a minute, renewed if necessary
  --status-line   print what you spent this month and when it resets, in one line

weir logout ends the sign-in and removes the file.`;

const loginWords: CommandWords = { usage, flags: { url: 'value', 'print-token': 'switch', 'status-line': 'switch' } };
const logoutWords: CommandWords = { usage, flags: {} };

/** A token that expires sooner is renewed first. */
const leastLifetimeMs = 60_000;

interface LoginParts {
  readonly output: Output;
  readonly client: DeviceClient;
  readonly file: LoginFile;
  readonly nowMs: () => number;
}

const ownParts = (): LoginParts => ({
  output: { out: (text) => void process.stdout.write(text), err: (text) => void process.stderr.write(text) },
  client: createDeviceClient({ fetch, sleep: Bun.sleep, nowMs: Date.now }),
  file: loginFile(userConfigFolder()),
  nowMs: Date.now,
});

export function login(args: readonly string[], parts: LoginParts = ownParts()): Promise<number> {
  return reported(parts.output, async () => {
    const given = readArguments(loginWords, args);
    if (given.help) return help(parts.output);
    if (given.has('print-token')) return printToken(parts);
    if (given.has('status-line')) return printSpend(parts);
    const url = baseUrl(given.valueOf('url'));
    const { output, client, file } = parts;
    const signedIn = await client.signIn(url, ({ userCode, page, pageWithCode }) => {
      output.err(`Open ${page} and enter the code ${userCode}\nor open ${pageWithCode}\n`);
    });
    file.write(signedIn);
    output.err(`Signed in to ${url}. The tokens are in ${file.path}.\n`);
    return exitCodes.done;
  });
}

export function logout(args: readonly string[], parts: LoginParts = ownParts()): Promise<number> {
  return reported(parts.output, async () => {
    if (readArguments(logoutWords, args).help) return help(parts.output);
    const { output, client, file } = parts;
    const known = file.read();
    if (known === undefined) throw notSignedIn();
    await client.revoke(known);
    file.remove();
    output.err(`Signed out of ${known.url}.\n`);
    return exitCodes.done;
  });
}

/** One process renews at a time: a refresh token that two processes use ends the sign-in. */
function current({ client, file, nowMs }: LoginParts): Promise<Login> {
  return file.alone(async () => {
    const known = file.read();
    if (known === undefined) throw notSignedIn();
    if (known.expiresAtMs - nowMs() >= leastLifetimeMs) return known;
    const renewed = await client.renew(known);
    file.write(renewed);
    return renewed;
  });
}

async function printToken(parts: LoginParts): Promise<number> {
  parts.output.out(`${(await current(parts)).accessToken}\n`);
  return exitCodes.done;
}

async function printSpend(parts: LoginParts): Promise<number> {
  const { month_usd: month, month_resets_at: end, budget } = await parts.client.spend(await current(parts));
  const day = (at: string): string => at.slice(0, 10);
  const own = budget && `, $${budget.left_usd} of $${budget.limit_usd} left`;
  const reset = budget === undefined ? end : budget.resets_at;
  parts.output.out(`$${month} this month${own ?? ''}${reset === undefined ? '' : `, resets ${day(reset)}`}\n`);
  return exitCodes.done;
}

const notSignedIn = (): LoginError => new LoginError('signed_out', 'Not signed in. Run weir login --url URL.');

function baseUrl(given: string | undefined): string {
  const url = given === undefined ? null : URL.parse(given);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new ArgumentError('--url must be the URL of a Weir, as https://weir.example.com', usage);
  }
  return url.href.replace(/\/(v1\/?)?$/, '');
}

function help({ out }: Output): number {
  out(`${usage}\n`);
  return exitCodes.done;
}

function reported(output: Output, work: () => Promise<number>): Promise<number> {
  return reportMistakes(output, async () => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LoginError)) throw error;
      output.err(`${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}\n`);
      return exitCodes.failed;
    }
  });
}
