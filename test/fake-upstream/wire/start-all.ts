/** All four scripted providers and the configuration that leads Weir to them. */

import { chatProvider } from './chat-reply.ts';
import { generateProvider } from './generate-reply.ts';
import { messagesProvider } from './messages-reply.ts';
import { providerKey, type WireProvider } from './provider.ts';
import { responsesProvider } from './responses-reply.ts';
import { type RunningProvider, startProvider } from './server.ts';

/** By the name that model names begin with. */
export const wireProviders = {
  chat: chatProvider,
  responses: responsesProvider,
  messages: messagesProvider,
  generate: generateProvider,
} as const satisfies Readonly<Record<string, WireProvider>>;

export type ProviderName = keyof typeof wireProviders;
export const providerNames = Object.keys(wireProviders) as readonly ProviderName[];

export interface RunningProviders {
  readonly byName: Readonly<Record<ProviderName, RunningProvider>>;
  readonly yaml: object;
  stop(): void;
}

/** One of the providers under another name, so that what is learnt about it there stays there. */
export interface Namesake {
  readonly alias: string;
  readonly provider: ProviderName;
  readonly model: string;
}

export async function startProviders(namesakes: readonly Namesake[] = []): Promise<RunningProviders> {
  const started = await Promise.all(
    providerNames.map(async (name) => [name, await startProvider(wireProviders[name])] as const),
  );
  const byName = Object.fromEntries(started) as Record<ProviderName, RunningProvider>;
  const providers = Object.fromEntries(
    providerNames.map((name) => [name, { kind: byName[name].kind, base_url: byName[name].base, key: providerKey }]),
  );
  const others = namesakes.map(({ alias, provider, model }) => {
    const { kind, base } = byName[provider];
    return [alias, { kind, base_url: base, key: providerKey, models: [model] }];
  });
  return {
    byName,
    yaml: { providers: { ...providers, ...Object.fromEntries(others) } },
    stop() {
      for (const name of providerNames) byName[name].stop();
    },
  };
}
