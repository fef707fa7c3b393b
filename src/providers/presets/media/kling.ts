/**
 * Kling: videos from text and from images; the wire adds the path, which differs between the two.
 * https://app.klingai.com/global/dev/document-api/apiReference/commonInfo (read 2026-11-15).
 */

import type { ProviderPreset } from '../../provider.ts';

export const kling: ProviderPreset = {
  name: 'kling',
  label: 'Kling',
  group: 'media',
  docs: 'https://app.klingai.com/global/dev/document-api/apiReference/commonInfo',
  checked: '2026-11-15',
  baseUrl: 'https://api-singapore.klingai.com/v1',
  keyVariables: ['KLING_API_KEY'],
  keyParts: [{ variable: 'KLING_ACCESS_KEY' }, { variable: 'KLING_SECRET_KEY' }],
  auth: { style: 'jwt-hs256' },
  checkPath: '/videos/text2video?pageNum=1&pageSize=1',
  formats: {},
  operations: { 'make-video': { wire: 'kling-video', path: '' } },
};
