/** The bucket that videos are kept in, where the operator names one: whole or not at all. */

import type { BucketConfig } from '../../settings/config.ts';
import type { SettingKey, SettingValues } from '../../settings/settings.ts';
import type { Problem } from '../problem.ts';

const needed = [
  ['results.endpoint', 'WEIR_RESULTS_ENDPOINT'],
  ['results.access_key', 'WEIR_RESULTS_ACCESS_KEY'],
  ['results.secret_key', 'WEIR_RESULTS_SECRET_KEY'],
] as const satisfies readonly (readonly [SettingKey, string])[];

export function bucketProblems(values: SettingValues): readonly Problem[] {
  if (values['results.bucket'] === undefined) {
    if (values['export.to'] !== 'bucket') return [];
    const allowed = 'the name of a bucket';
    return [{ key: 'results.bucket', source: 'export.to', found: 'nothing, although export.to is bucket', allowed }];
  }
  return needed
    .filter(([key]) => values[key] === undefined)
    .map(([, variable]) => ({
      key: variable,
      source: variable,
      found: 'nothing, although results.bucket is set',
      allowed: 'what the bucket needs',
    }));
}

export function bucketOf(values: SettingValues): BucketConfig | undefined {
  const bucket = values['results.bucket'];
  const [endpoint, accessKey, secretKey] = needed.map(([key]) => values[key]);
  if (bucket === undefined || endpoint === undefined || accessKey === undefined || secretKey === undefined) {
    return undefined;
  }
  return {
    bucket,
    endpoint,
    region: values['results.region'],
    prefix: values['results.prefix'],
    accessKey,
    secretKey,
  };
}
