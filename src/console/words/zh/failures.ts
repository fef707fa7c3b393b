/** Chinese words for why a request failed. */

import type { Words } from '../en.ts';

export const failures: Words['failures'] = {
  title: '失败原因',
  replied: (provider, status) => `${provider} 回复 ${status}`,
  attemptAt: (provider) => `对 ${provider} 的尝试`,
  openProvider: (provider) => `打开 ${provider}`,
  sent: '发给客户端的消息',
  notRecorded: '未记录消息。',
  whatNow: '下一步',
  reasons: {
    'request-fault': { what: '提供商拒绝了该请求。', next: '按消息修改请求，或换用其他模型。' },
    'parameter-refused': { what: '提供商拒绝了一个参数。', next: '去掉该参数。Weir 会在一小时内省略它。' },
    content: { what: '提供商拒绝了内容。', next: '修改内容，重试无效。' },
    'key-dead': { what: '提供商账户余额已用尽，或密钥已停用。', next: '在提供商处充值，或更换密钥。' },
    'key-refused': { what: '提供商不接受该密钥。', next: '更换密钥，然后测试提供商。' },
    forbidden: { what: '该密钥无权执行此操作。', next: '在提供商处授予权限，或将模型路由到其他提供商。' },
    'key-cooling': { what: '提供商对该密钥限流 (429)。', next: '稍后重试，添加密钥，或添加备用目标。' },
    'target-cooling': { what: '提供商过载。', next: '稍后重试，或添加备用目标。' },
    'target-down': { what: '无法连接提供商。', next: '检查基础 URL 和网络，然后测试提供商。' },
    uncertain: { what: '提供商出错，可能已开始处理。', next: '请重试。若持续失败，查看提供商的状态页。' },
    limit: { what: '请求达到 Weir 的限制而被终止。', next: '如属预期，请提高该限制。' },
    lost: { what: 'Weir 在请求结束前停止。', next: '查明进程退出的原因，然后重试。' },
    provider_unavailable: { what: '没有可尝试的提供商。', next: '检查消息中提到的提供商，或添加备用目标。' },
    budget_spent: { what: '令牌的剩余预算不足以完成该请求。', next: '提高预算，或降低 max_tokens。' },
    price_unknown: { what: '令牌设有预算，而模型没有价格。', next: '为该模型设置价格。' },
    content_refused: { what: '内容审核拒绝了该内容。', next: '修改内容。' },
    moderation_unavailable: { what: '审核模型没有回复。', next: '检查审核模型的提供商。' },
    loss_refused: {
      what: '严格模式：没有提供商支持该请求的全部字段。',
      next: '去掉消息中提到的字段，或关闭严格模式。',
    },
    store_unavailable: { what: '数据库不可用。', next: '检查数据库，然后重试。' },
    internal_error: { what: 'Weir 出错。', next: '在日志中搜索该请求 ID，并反馈其内容。' },
    other: { what: 'Weir 拒绝了该请求。', next: '按消息修改请求。' },
  },
};
