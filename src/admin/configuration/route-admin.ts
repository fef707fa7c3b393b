/** Creates, replaces and removes the console's routes and prices, which are entries by name without secrets. */

import { z } from 'zod';
import type { LiveConfiguration } from '../../configuration/live-configuration.ts';
import { readPriceEntry, readRouteEntry } from '../../configuration/read-entry.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ConfigurationStore } from '../../store/configuration/configuration-store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { PriceView, RouteView } from '../contracts/configuration-contract.ts';
import { checked } from '../tokens/token-terms.ts';
import { priceView, routeView } from './entry-views.ts';
import { mistaken } from './provider-admin.ts';

interface EntryAdminParts {
  readonly live: LiveConfiguration;
  readonly store: ConfigurationStore;
  readonly audit: Audit;
  /** The time of day. */
  wallMs(): number;
}

export interface EntryAdmin<View> {
  list(): readonly View[];
  put(actor: Actor, input: unknown): Promise<View>;
  remove(actor: Actor, name: string): Promise<void>;
}

const entriesMax = 1_000;

const entryTree = z.record(z.string(), z.unknown(), 'must be an object');
const name = z.string('must be text').trim();
export const routeChangeSchema = z.strictObject({ alias: name, entry: entryTree });
export const priceChangeSchema = z.strictObject({ pattern: name, entry: entryTree });

export function createRouteAdmin(parts: EntryAdminParts): EntryAdmin<RouteView> {
  const { live } = parts;
  const list = (): readonly RouteView[] => live.merged.routes.map(routeView);
  const words = { section: 'models', field: 'alias', changed: 'route-change', removed: 'route-delete' } as const;
  const entries = entriesOf(parts, words, () => live.merged.routes.map((route) => ({ ...route, name: route.alias })));
  return {
    list,
    async put(actor, input) {
      const { alias, entry } = checked(routeChangeSchema, input);
      entries.requireOpen(alias);
      const known = new Set(live.merged.providers.map((provider) => provider.name));
      const [mistake] = readRouteEntry(alias, entry, known).mistakes;
      if (mistake !== undefined) throw mistaken(mistake);
      await entries.put(actor, alias, entry);
      return found(
        list().find((view) => view.alias === alias && !view.locked),
        words.field,
      );
    },
    remove: entries.remove,
  };
}

export function createPriceAdmin(parts: EntryAdminParts): EntryAdmin<PriceView> {
  const { live } = parts;
  const list = (): readonly PriceView[] => live.merged.prices.map(priceView);
  const words = { section: 'prices', field: 'pattern', changed: 'price-change', removed: 'price-delete' } as const;
  const entries = entriesOf(parts, words, () => live.merged.prices.map((price) => ({ ...price, name: price.pattern })));
  return {
    list,
    async put(actor, input) {
      const { pattern, entry } = checked(priceChangeSchema, input);
      entries.requireOpen(pattern);
      const [mistake] = readPriceEntry(pattern, entry).mistakes;
      if (mistake !== undefined) throw mistaken(mistake);
      await entries.put(actor, pattern, entry);
      return found(
        list().find((view) => view.pattern === pattern && !view.locked),
        words.field,
      );
    },
    remove: entries.remove,
  };
}

interface EntryWords {
  readonly section: 'models' | 'prices';
  /** What the admin interface calls the name. */
  readonly field: string;
  readonly changed: 'route-change' | 'price-change';
  readonly removed: 'route-delete' | 'price-delete';
}

interface NamedEntry {
  readonly name: string;
  readonly origin: string;
  readonly originText: string;
}

/** What routes and prices have in common. */
function entriesOf(parts: EntryAdminParts, words: EntryWords, all: () => readonly NamedEntry[]) {
  const { store, audit, live, wallMs } = parts;
  const { section, field, changed, removed } = words;
  const subjectOf = (entryName: string): string => `${section === 'models' ? 'route' : 'price'}:${entryName}`;
  const invalid = (rule: string): GatewayError =>
    new GatewayError('field_invalid', `${field}: ${rule}`, { param: field });
  return {
    /** Only what is the console's own, or not defined yet. */
    requireOpen(entryName: string): void {
      const own = all().filter(({ origin }) => origin === 'console');
      const locked = all().find((entry) => entry.name === entryName && entry.origin !== 'console');
      if (locked !== undefined) {
        throw invalid(`is configured elsewhere (${locked.originText}) and can only be changed there`);
      }
      if (own.length >= entriesMax && !own.some((entry) => entry.name === entryName)) {
        throw invalid(`exceeds the limit of ${entriesMax}`);
      }
    },
    async put(actor: Actor, entryName: string, entry: Readonly<Record<string, unknown>>): Promise<void> {
      const text = JSON.stringify(entry);
      await store.put({ section, name: entryName, entry: text, atMs: wallMs(), by: actor.account.id });
      await audit.write(actor, {
        action: changed,
        subject: subjectOf(entryName),
        detail: { entry: text.slice(0, 1_000) },
      });
      await live.reload();
    },
    async remove(actor: Actor, entryName: string): Promise<void> {
      const entry = all().find((each) => each.name === entryName);
      const isOwn = all().some((each) => each.name === entryName && each.origin === 'console');
      if (entry !== undefined && !isOwn) {
        throw invalid(`is configured elsewhere (${entry.originText}) and can only be removed there`);
      }
      if (!(await store.remove(section, entryName))) throw missing(field);
      await audit.write(actor, { action: removed, subject: subjectOf(entryName) });
      await live.reload();
    },
  };
}

function missing(field: string): GatewayError {
  return new GatewayError('not_found', `No entry has this ${field}.`, { param: field });
}

/** Another person may have removed it meanwhile. */
function found<View>(view: View | undefined, field: string): View {
  if (view === undefined) throw missing(field);
  return view;
}
