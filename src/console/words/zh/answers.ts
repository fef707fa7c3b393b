/** Chinese words for the answers in the playground: models side by side, JSON, facts and live conversations. */

import type { Words } from '../en.ts';

export const answers: Words['answers'] = {
  addModel: '再添加一个模型对比',
  removeModel: (id) => `从对比中移除 ${id}`,
  raw: '原文',
  costUnknown: '登录后可见',
  live: {
    connecting: { title: '正在连接', hint: '会话即将开始。' },
    live: { title: '已连接', hint: '发送消息或打开麦克风。随时可以打断模型。' },
    ended: { title: '会话已结束', hint: '没有任何消息。可以重新开始一次会话。' },
  },
};
