/** Chinese words for a connection that was lost. */

import type { Words } from '../en.ts';

export const connection: Words['connection'] = {
  lost: '连接已断开。',
  retrying: '正在重试……',
  figuresFrom: (time) => `数据截至 ${time}`,
  retryNow: '立即重试',
};
