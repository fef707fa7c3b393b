/** Telemetry of a serving Weir; undefined where the operator named no collector. */

import type { Logger, LogLine } from '../observe/logger.ts';
import { createTelemetry, type Telemetry } from '../observe/otlp/telemetry.ts';
import type { Config } from '../settings/config.ts';
import type { EgressRoutes } from '../upstream/egress-routes.ts';
import { version } from './version.ts';

interface TelemetryParts {
  readonly config: Pick<Config, 'telemetry'>;
  readonly instanceId: string;
  readonly egressRoutes: EgressRoutes;
  readonly logger: Logger;
  /** Of this process alone. */
  readonly metrics: { text(): Promise<string> };
  nowMs(): number;
  wallMs(): number;
}

/** What the logger writes to before there is anything to export to, since that needs a logger itself. */
export class ExportedLines {
  telemetry: Telemetry | undefined;
  readonly onLine: ((line: LogLine) => void) | undefined;

  constructor({ telemetry }: Pick<Config, 'telemetry'>) {
    this.onLine = telemetry === undefined ? undefined : (line) => this.telemetry?.logged(line);
  }
}

interface BuiltTelemetry extends Partial<Pick<Telemetry, 'tracing'>> {
  /** The text of `/metrics`, of this process alone. */
  metricsText(): Promise<string>;
  /** Exports what waits; `leftMs` is what is left of the time for shutting down. */
  stop(leftMs: number): Promise<void>;
}

/** The last export gets this long also where streams used up the time for shutting down, and no longer than the other. */
const lastExportMsMin = 1_000;
const lastExportMsMax = 5_000;

export function buildTelemetry(parts: TelemetryParts, lines: ExportedLines): BuiltTelemetry {
  const { config, instanceId, egressRoutes, logger, metrics, nowMs, wallMs } = parts;
  if (config.telemetry === undefined) return { metricsText: () => metrics.text(), stop: async () => undefined };
  const { transport } = egressRoutes.of({});
  const metricsText = async (): Promise<string> => (await metrics.text()) + telemetry.metricsText();
  const telemetry = createTelemetry({
    ...{ config: config.telemetry, version, instanceId, transport, logger, metricsText, nowMs },
    wallMs,
    random: Math.random,
  });
  lines.telemetry = telemetry;
  return {
    tracing: telemetry.tracing,
    metricsText,
    stop: (leftMs) => telemetry.stop(Math.min(Math.max(leftMs, lastExportMsMin), lastExportMsMax)),
  };
}
