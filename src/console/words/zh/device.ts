/** The same in Chinese. */

import type { Words } from '../en.ts';

export const device: Words['device'] = {
  enter: '程序会显示一个代码。在此输入代码，用你的账号登录该程序。',
  code: '代码',
  codeHint: '8 个字母，例如 BCDF-GHJK',
  next: '继续',
  question: (client) => `登录 ${client}？`,
  compare: '只有当你自己启动了该程序，并且程序显示相同的代码时，才可批准。',
  means: '该程序可以用你的账号使用模型，直到你在“设置 > 账号”中结束登录。',
  program: '程序',
  from: '来源',
  agent: '用户代理',
  requested: '请求时间',
  approve: '批准',
  deny: '拒绝',
  approved: (client) => `${client} 已登录`,
  approvedHint: '请返回程序，几秒后会继续。',
  denied: '已拒绝请求',
  deniedHint: '该程序没有登录。',
  another: '输入另一个代码',
  toPrograms: '显示已登录的程序',
  viewer: '你的角色不能使用模型，因此不能登录程序。',
  programs: '已登录的程序',
  programsHint: '使用你的账号的编程代理和命令行。',
  none: '没有已登录的程序。',
  renewed: '续期于',
  signedIn: '登录于',
  end: '结束',
  endOf: (client, address) => `结束 ${client}（${address}）的登录`,
  ended: '该程序已退出',
};
