/** What changes of the channels and rules of alerts. Of several with one name the oldest is meant. */

import { randomBytes, randomUUID } from 'node:crypto';
import { nameKeyOf } from '../../admin/accounts/name-key.ts';
import { isWebhookSecret } from '../../admin/contracts/alert-contract.ts';
import { type ChannelSecrets, sealSecrets } from '../../alerts/channels/kept-channels.ts';
import { thresholdDefaults } from '../../alerts/evaluate/evaluate.ts';
import { isTimeZone } from '../../alerts/quiet-hours.ts';
import type { Sealing } from '../../secrets/sealing.ts';
import type { ChannelRecord, RuleRecord, RuleTerms } from '../../store/alerts/alert-records.ts';
import { readCallerUrl, UrlRefusal } from '../../upstream/egress/caller-url.ts';
import type { FileAlerts, FileChannel, FileRule } from './alert-file.ts';
import type { Draft } from './draft.ts';
import { type Mistakes, type Path, suggestion } from './mistakes.ts';
import type { KeySources } from './provider-keys.ts';
import { type FileEntry, fileKeyOf } from './section-reader.ts';
import { differences } from './terms.ts';

/** A channel with its secrets opened; undefined where no key of this Weir opens them. */
interface OpenedChannel {
  readonly record: ChannelRecord;
  readonly secrets: ChannelSecrets | undefined;
}

export interface AlertState {
  readonly channels: readonly OpenedChannel[];
  readonly rules: readonly RuleRecord[];
}

interface AlertParts {
  readonly draft: Draft;
  readonly mistakes: Mistakes;
  readonly alerts: AlertState;
  readonly sealing: Sealing;
  readonly sources: KeySources;
  readonly isPruning: boolean;
}

/** The oldest of each name. */
export function byNames<Named>(all: readonly Named[], nameOf: (each: Named) => string): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  for (const each of all) if (!found.has(nameKeyOf(nameOf(each)))) found.set(nameKeyOf(nameOf(each)), each);
  return found;
}

export function planAlerts(file: FileAlerts | undefined, parts: AlertParts): void {
  if (file === undefined) return;
  const planner = new AlertPlanner(parts);
  planner.channels(file.channels);
  planner.rules(file.rules);
}

class AlertPlanner {
  readonly #parts: AlertParts;
  /** By name, as they will be. */
  readonly #channels: Map<string, { readonly id: string; readonly name: string }>;

  constructor(parts: AlertParts) {
    this.#parts = parts;
    this.#channels = new Map(
      byNames(
        parts.alerts.channels.map(({ record }) => record),
        ({ name }) => name,
      ),
    );
  }

  channels(given: FileAlerts['channels']): void {
    if (given === undefined) return;
    const { draft, alerts, isPruning } = this.#parts;
    const known = byNames(alerts.channels, ({ record }) => record.name);
    for (const entry of given) this.#putChannel(entry, known.get(entry.key));
    const named = new Set(given.map(({ key }) => key));
    const others = [...known].filter(([key]) => !named.has(key));
    if (!isPruning) draft.countUnnamed('channel', others.length);
    for (const [key, { record }] of isPruning ? others : []) {
      this.#channels.delete(key);
      draft.rows.removedChannels.push(record.id);
      draft.say('-', `channel ${record.name}`, { action: 'alert-channel-delete', subject: record.name });
    }
  }

  #putChannel(entry: FileEntry<FileChannel>, before: OpenedChannel | undefined): void {
    const { mistakes, draft, sealing } = this.#parts;
    const { name, key, path, value } = entry;
    if (before !== undefined && before.record.kind !== value.kind) {
      mistakes.add([...path, 'kind'], `is ${before.record.kind} already and cannot change; use another name`);
      return;
    }
    const id = before?.record.id ?? newId('ch_');
    this.#channels.set(key, { id, name });
    const count = mistakes.list.length;
    const secrets = value.kind === 'mail' ? this.#noSecrets(entry) : this.#secretsOf(entry, id, before);
    if (mistakes.list.length > count || secrets === undefined) return;
    const { url, secret } = secrets;
    const host = url === undefined ? {} : { host: new URL(url).host };
    const settings = { ...(value.to && { to: value.to }), ...host };
    const disabled = value.disabled ?? false;
    const found = differences(shownChannel(before?.record), shownChannel({ name, disabled, settings }));
    const isOther = before !== undefined && (before.secrets?.url !== url || before.secrets?.secret !== secret);
    if (before !== undefined && found.length === 0 && !isOther) return;
    const sealed = url === undefined ? {} : { sealed: sealSecrets(sealing, value.kind, id, { url, secret }) };
    const stamps = { createdAtMs: before?.record.createdAtMs ?? draft.atMs, updatedAtMs: draft.atMs };
    draft.rows.channels.push({ id, kind: value.kind, name, settings, disabled, ...stamps, ...sealed });
    if (before === undefined) {
      const detail = { kind: value.kind };
      draft.say('+', `channel ${name} (${value.kind})`, { action: 'alert-channel-create', subject: name, detail });
      return;
    }
    // Only the name of the field: a URL of a chat service is a credential.
    const words = [...found.map(({ text }) => text), ...(isOther ? ['url or secret'] : [])];
    draft.say('~', `channel ${name}: ${words.join('; ')}`, {
      action: 'alert-channel-change',
      subject: name,
      detail: { changed: [...found.map(({ field }) => field), ...(isOther ? ['url'] : [])] },
    });
  }

  #noSecrets({ path, value }: FileEntry<FileChannel>): ChannelSecrets {
    const { mistakes } = this.#parts;
    for (const field of ['url_env', 'url_file', 'secret_env', 'secret_file'] as const) {
      if (value[field] !== undefined) mistakes.add([...path, field], 'does not apply to mail');
    }
    if (value.to === undefined) mistakes.add([...path, 'to'], 'is required for mail');
    return {};
  }

  #secretsOf(
    { name, path, value }: FileEntry<FileChannel>,
    id: string,
    before: OpenedChannel | undefined,
  ): ChannelSecrets | undefined {
    const { mistakes, draft } = this.#parts;
    if (value.to !== undefined) mistakes.add([...path, 'to'], 'applies to mail only');
    const url = this.#sourced(path, 'url', value, before?.secrets?.url);
    const given = this.#sourced(path, 'secret', value, before?.secrets?.secret, 'optional');
    const field = value.secret_file === undefined ? 'secret_env' : 'secret_file';
    if (given !== undefined && value.kind !== 'webhook' && value.kind !== 'feishu') {
      mistakes.add([...path, field], 'applies to webhook and feishu only');
    }
    if (value.kind === 'webhook' && given !== undefined && !isWebhookSecret(given)) {
      mistakes.add([...path, field], 'must be whsec_ and 24 to 64 bytes in base64');
    }
    if (url === undefined) return undefined;
    try {
      readCallerUrl(url, undefined);
    } catch (cause) {
      if (!(cause instanceof UrlRefusal)) throw cause;
      mistakes.add(
        [...path, value.url_file === undefined ? 'url_env' : 'url_file'],
        `names a URL that ${cause.message}`,
      );
      return undefined;
    }
    if (value.kind !== 'webhook' || given !== undefined) return { url, ...(given !== undefined && { secret: given }) };
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    draft.secrets.push({ kind: 'channel', name, id, secret });
    return { url, secret };
  }

  /** A variable or file that is absent here leaves what is there. */
  #sourced(path: Path, field: 'url' | 'secret', value: FileChannel, before: string | undefined, need?: 'optional') {
    const { mistakes, sources } = this.#parts;
    const [variable, file] = [value[`${field}_env`], value[`${field}_file`]];
    if (variable !== undefined && file !== undefined) {
      mistakes.add([...path, `${field}_file`], `must not be beside ${field}_env`);
    }
    const text = variable === undefined ? file && sources.readFile(file) : sources.environment[variable];
    const found = text?.trim() || before;
    const isNamed = variable !== undefined || file !== undefined;
    if (found !== undefined || (need === 'optional' && !isNamed)) return found;
    const place = file === undefined ? `${field}_env` : `${field}_file`;
    const state = isNamed ? 'is not set or cannot be read' : `must name the variable of the ${field}`;
    mistakes.add([...path, place], `${state}, and the channel has no ${field} yet`);
    return undefined;
  }

  rules(given: FileAlerts['rules']): void {
    if (given === undefined) return;
    const { draft, alerts, isPruning } = this.#parts;
    const known = byNames(alerts.rules, ({ name }) => name);
    for (const entry of given) this.#putRule(entry, known.get(entry.key));
    const named = new Set(given.map(({ key }) => key));
    const others = [...known].filter(([key]) => !named.has(key));
    if (!isPruning) draft.countUnnamed('rule', others.length);
    for (const [, { id, name }] of isPruning ? others : []) {
      draft.rows.removedRules.push(id);
      draft.say('-', `rule ${name}`, { action: 'alert-rule-delete', subject: name });
    }
  }

  #putRule({ name, path, value }: FileEntry<FileRule>, before: RuleRecord | undefined): void {
    const { mistakes, draft } = this.#parts;
    const { channels: names, disabled = false, ...given } = value;
    const channels = names.flatMap((channel, index) => {
      const found = this.#channels.get(nameKeyOf(channel));
      if (found !== undefined) return found.id;
      const near = suggestion(
        channel,
        [...this.#channels.values()].map((each) => each.name),
      );
      mistakes.add([...path, 'channels', index], `is not a channel${near}`);
      return [];
    });
    if (given.quiet !== undefined && !isTimeZone(given.quiet.timeZone)) {
      mistakes.add([...path, 'quiet', 'time_zone'], 'must be the name of a time zone, such as Europe/Berlin');
    }
    const terms: RuleTerms = { ...thresholdDefaults, severityMin: 'info', ...given, channels };
    const found = differences(this.#shownRule(before), this.#shownRule({ name, terms, disabled }));
    if (before !== undefined && found.length === 0) return;
    const stamps = { createdAtMs: before?.createdAtMs ?? draft.atMs, updatedAtMs: draft.atMs };
    draft.rows.rules.push({ id: before?.id ?? newId('rule_'), name, terms, disabled, ...stamps });
    if (before === undefined) {
      const detail = { kinds: terms.kinds };
      draft.say('+', `rule ${name}: ${terms.kinds.join(', ')}`, { action: 'alert-rule-create', subject: name, detail });
      return;
    }
    const detail = { changed: found.map(({ field }) => field) };
    const text = found.map((difference) => difference.text).join('; ');
    draft.say('~', `rule ${name}: ${text}`, { action: 'alert-rule-change', subject: name, detail });
  }

  #shownRule(rule: Pick<RuleRecord, 'name' | 'terms' | 'disabled'> | undefined): Readonly<Record<string, string>> {
    if (rule === undefined) return {};
    const { channels, quiet, ...terms } = rule.terms;
    const names = new Map([...this.#channels.values()].map(({ id, name }) => [id, name]));
    const hours =
      quiet && `${quiet.from} to ${quiet.to} ${quiet.timeZone}${quiet.criticalPasses ? '' : ', also critical'}`;
    const texts = Object.entries(terms).flatMap(([field, value]) =>
      value === undefined ? [] : [[fileKeyOf(field), String(value)] as const],
    );
    return {
      name: rule.name,
      ...Object.fromEntries(texts),
      channels: channels.map((id) => names.get(id) ?? id).join(', '),
      ...(hours !== undefined && { quiet: hours }),
      ...(rule.disabled && { disabled: 'true' }),
    };
  }
}

const newId = (prefix: string): string => prefix + randomUUID().replaceAll('-', '');

type ShownChannel = Pick<ChannelRecord, 'name' | 'disabled' | 'settings'>;

function shownChannel(channel: ShownChannel | undefined): Readonly<Record<string, string>> {
  if (channel === undefined) return {};
  const { name, disabled, settings } = channel;
  return {
    name,
    ...(settings.to && { to: settings.to.join(', ') }),
    ...(settings.host !== undefined && { host: settings.host }),
    ...(disabled && { disabled: 'true' }),
  };
}
