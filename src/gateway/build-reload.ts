/** What a serving Weir does with a configuration that was read again: providers, aliases, prices and live settings act at once. */

import type { LiveSettings } from '../config/live-settings.ts';
import { configFileIdentity, loadProcessConfig } from '../config/load-process-config.ts';
import type { LiveConfiguration } from '../configuration/live-configuration.ts';
import { ConfigurationReload } from '../configuration/reload.ts';
import type { LearningLogger } from '../observe/logger.ts';
import type { Config } from '../settings/config.ts';
import { secretsIn } from './gateway-pieces.ts';

interface ReloadOptions {
  /** As it was loaded. */
  readonly given: Config;
  /** With the servers that were found on this machine. */
  readonly known: Config;
  readonly settings: LiveSettings;
  readonly live: Pick<LiveConfiguration, 'takeGiven'>;
  readonly logger: LearningLogger;
  /** The supervisor logs for all workers. */
  readonly isWorker: boolean;
}

export function buildReload({ given, known, settings, live, logger, isWorker }: ReloadOptions): ConfigurationReload {
  const { debug } = logger;
  return new ConfigurationReload({
    given,
    load: loadProcessConfig,
    identity: configFileIdentity,
    logger: isWorker ? { info: debug, warn: debug, error: debug } : logger,
    async apply(loaded) {
      logger.hide(secretsIn(loaded));
      const { models, prices, lines, server } = loaded;
      const names = new Set(loaded.providers.map(({ name }) => name));
      const local = known.providers.filter(({ name, origin }) => origin === 'local' && !names.has(name));
      const providers = [...loaded.providers, ...local];
      const { configFile } = server;
      const { config } = settings;
      const taken = { ...config, providers, models, prices, server: { ...config.server, configFile } };
      await live.takeGiven(lines === undefined ? taken : { ...taken, lines });
      settings.takeGiven(loaded);
    },
  });
}
