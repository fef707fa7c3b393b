/** The provider contract: declarations only. What a provider cannot do is not declared. */

import type { ModelProfile } from '../conversation/model-profile.ts';
import type { WriteQuirks } from '../formats/codec.ts';
import type { CopiedFormat } from '../formats/fields/copied-format.ts';
import type { FieldTable } from '../formats/fields/field-table.ts';
import type { FormatName } from '../formats/format.ts';
import type { TableNames } from '../prices/price.ts';
import type { BodyEdits } from './body-edits.ts';
import type { DeclaredOperations } from './declared-operations.ts';
import type { FamilyRow } from './families/family.ts';
import type { HostWords } from './host-words.ts';

export type { FormatName };

export type Auth =
  | { readonly style: 'bearer' }
  | { readonly style: 'header'; readonly header: string; readonly prefix?: string }
  | { readonly style: 'none' }
  /** The key is a service account's key file; an access token of this scope is fetched with it and sent as a bearer. */
  | { readonly style: 'service-account'; readonly scope: string }
  /** An access key signs every request for this service, in the region of `settings`; a key without a colon is a bearer. */
  | { readonly style: 'aws-sigv4'; readonly service: string }
  /** The secret of an access key signs tokens that are sent as a bearer; a key without a colon is a bearer itself. */
  | { readonly style: 'jwt-hs256' };

/**
 * Deviations from the plain format, as data that the lanes and the tap read. Absent means none. What changes how a request
 * is written in a format is in WriteQuirks.
 */
export interface Quirks extends WriteQuirks {
  /** What every model takes or refuses at this provider, whatever its family takes. */
  readonly takes?: ModelProfile;
  /** The same for some of its models, by their bare names; each later row goes before the earlier ones. */
  readonly takesOf?: readonly FamilyRow[];
  /** Where streamed usage hides when it is not at the top: `x_groq`. */
  readonly usageInside?: string;
  /** What must change in a body of this format before the provider takes it. */
  readonly bodyEdits?: Partial<Readonly<Record<FormatName, BodyEdits>>>;
  /** What a host of another vendor's models takes of the words in a header, by format; absent means every word. */
  readonly hostWords?: Partial<Readonly<Record<FormatName, HostWords>>>;
  /** What the server takes of a format that it copied, by format; absent means everything. */
  readonly copied?: Partial<Readonly<Record<FormatName, CopiedFormat>>>;
  /** Thinking does not count against the limit of a reply, so a limit bounds the answer alone. */
  readonly thinkingBesideLimit?: boolean;
  /** Closes a connection after a stream without saying so, so that a request that follows at once would break off. */
  readonly closesAfterStream?: boolean;
  /** Has an endpoint that counts a request's tokens, where its format has it. */
  readonly countsTokens?: boolean;
  /** Keeps replies so that a later request can refer to them by id. */
  readonly keepsReplies?: boolean;
  /** USD for each call of a tool that the host runs, where the vendor's page names one; prices of tables and operators go first. */
  readonly toolFees?: Readonly<Record<string, number>>;
  /** How a stream is framed where it differs from the format's own framing; a reply of another content type is passed on. */
  readonly framing?: 'aws-event-stream';
}

/**
 * Where a format is served: a path below the base URL, or two where a stream has its own. `{model}` is replaced by the
 * model's name as one path segment, `{+model}` by a name whose slashes and colons are part of the path, any other hole by
 * a setting. A whole URL (`https://…`) is another API on the same host; it is dropped when the operator sets a base
 * URL on another host, so that nothing meant for that one reaches the public host.
 */
export type FormatPath = string | { readonly whole: string; readonly stream: string };

/** A part of the URL or of the signature that only the operator knows. */
interface ProviderSetting {
  /** Variables that hold it; the first one set counts. `settings` in the file override them. */
  readonly variables: readonly string[];
  /** The field of a key in JSON that holds it where nothing else does. */
  readonly keyField?: string;
  readonly default?: string;
}

/** The formats that a provider has for some of its models. */
export interface ModelFormats {
  /** Names, `*` allowed. */
  readonly models: readonly string[];
  readonly formats: readonly FormatName[];
}

export type PresetGroup = 'maker' | 'host' | 'cloud' | 'media' | 'local' | 'plan' | 'format';

/** What must be known of a provider to call it. */
export interface ProviderRules {
  readonly name: string;
  readonly label: string;
  /** With its version path. `{account}`-like holes must be filled by configuration. */
  readonly baseUrl: string;
  /** A variable that holds the URL, or most of it; its value replaces `{value}` in the template. */
  readonly baseUrlFrom?: readonly { readonly variable: string; readonly template: string }[];
  /** Base URLs that do not follow the pattern, by the setting whose value calls for them. */
  readonly baseUrlFor?: readonly { readonly setting: string; readonly value: string; readonly baseUrl: string }[];
  /** What fills the holes of URLs, by the name of the hole. */
  readonly settings?: Readonly<Record<string, ProviderSetting>>;
  readonly keyVariables: readonly string[];
  /** The key variable serves other purposes too, so its presence alone does not turn this provider on. */
  readonly keyVariableIsShared?: boolean;
  /** Variables that joined by colons are one key, for a provider that the file lists and none of `keyVariables` serves. */
  readonly keyParts?: readonly { readonly variable: string; readonly optional?: boolean }[];
  readonly auth: Auth;
  /** Every format it has, the most capable first: into that one others are translated. */
  readonly formats: Partial<Readonly<Record<FormatName, FormatPath>>>;
  /** What it does beside conversations. */
  readonly operations?: DeclaredOperations;
  /** Which of its formats a model has; the first row that matches counts, and without one it has them all. */
  readonly modelFormats?: readonly ModelFormats[];
  /** Path that lists models; absent where there is none. */
  readonly modelsPath?: string;
  /** Where there is no such list: a path whose status shows whether a key is valid, and that costs nothing. */
  readonly checkPath?: string;
  /** How public price tables name it; a table that is absent does not list it. */
  readonly tables?: TableNames;
  readonly quirks?: Quirks;
  /** Headers that every request needs beside the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** It passes requests on to other providers, as fields of a body may say; these fields beside those of a format say nothing of it. */
  readonly routes?: FieldTable;
  /** Its replies state what they cost, in USD. */
  readonly reportsCost?: boolean;
  /** A server on this machine, found by its port rather than by a key; a key is sent only where one is configured. */
  readonly local?: boolean;
  /** A server on this machine that is used when the file lists it: another one has the same port, or it has no list to know it by. */
  readonly listedOnly?: boolean;
}

/** A row of the table of providers, with what people who choose or keep it want to know. */
export interface ProviderPreset extends ProviderRules {
  /** Other words by which people look for it: families of models, former and colloquial names. */
  readonly synonyms?: readonly string[];
  /** What kind of company or server it is. */
  readonly group: PresetGroup;
  /** The URL of the provider's own reference. */
  readonly docs: string;
  /** The day on which the row was last compared with a description of the provider: `2026-11-16`. */
  readonly checked: string;
}
