/** Removes what a support bundle must not contain: every known secret in any encoding, what looks like one, and what people wrote. */

import { passwordsIn } from '../../config/readers/read-egress.ts';
import { secretsOf } from '../../configuration/entry-secrets.ts';
import type { KeptEntries } from '../../configuration/kept-entries.ts';
import { secretsIn } from '../../gateway/gateway-pieces.ts';
import { hideCredentials } from '../../observe/logger.ts';
import { secretPartsOf } from '../../providers/key-forms.ts';
import { createScrubber } from '../../secrets/scrubber.ts';
import type { Config } from '../../settings/config.ts';

/** Shorter values occur in ordinary words; no provider has such a key. */
const secretLengthMin = 6;

/** Names of metrics begin like tokens and are shorter. */
const ownToken = /weir_[A-Za-z0-9]{24,}/g;

/** Everything secret that this Weir knows in plain text. */
export function knownSecrets(config: Config, kept: KeptEntries, keyFileText: string): readonly string[] {
  const { bucket, database, redisUrl, providers } = config;
  const secrets = [
    ...secretsIn(config),
    ...[database.url, redisUrl].flatMap((url) => passwordsIn(url ?? '')),
    ...(bucket === undefined ? [] : [bucket.accessKey, bucket.secretKey]),
    ...providers.flatMap(({ headers }) => Object.values(headers)),
    ...kept.providers.flatMap(({ entry, keys }) => [
      ...secretsOf(entry),
      ...keys.flatMap(({ value }) => secretPartsOf(value)),
    ]),
    ...keyFileText.split(/\s+/),
  ];
  return [...new Set(secrets)].filter((secret) => secret.length >= secretLengthMin);
}

/** Line by line: the search is bounded for each text. */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  const scrub = createScrubber(secrets);
  return (text) =>
    text
      .split('\n')
      .map((line) => scrub(hideCredentials(line.replace(ownToken, 'weir_[token]'))))
      .join('\n');
}

/** What a provider says about a request may quote it. */
const quoting = ['cause', 'reason'] as const;
const left = '[left out]';

/** A line of the log without what a provider or Weir said about one request. */
export function withoutQuotes(line: string): string {
  if (line.startsWith('{')) {
    try {
      const fields = JSON.parse(line) as Record<string, unknown>;
      for (const name of quoting) if (name in fields) fields[name] = left;
      return JSON.stringify(fields);
    } catch {
      return left;
    }
  }
  return line.replace(/ (cause|reason)=("(?:[^"\\]|\\.)*"|\S*)/g, ` $1=${left}`);
}
