/** Chinese words for signing in, setup and the account. */

import type { Words } from '../en.ts';

export const session: Words['session'] = {
  name: '名称',
  password: '密码',
  passwordHint: '至少 10 个字符，最好是一句容易记住的话。',
  showPassword: '显示密码',
  signIn: '登录',
  signOut: '退出登录',
  signedInAs: (name, role) => `${name}（${role}）`,
  tokenInstead: '只有令牌？',
  toPlayground: '到操练场试一试',
  forgotten: '忘记密码？请联系管理员重置。',
  setUpLead: '你将成为所有者。以后可以在设置中添加其他人。',
  create: '创建账户',
  yourName: '登录名',
  needsLink: '请打开设置链接开始使用',
  needsLinkHint: 'Weir 启动时会打印一个一次性设置链接。请从终端或日志中复制它。链接一天内有效；重启会打印新的链接。',
  linkUsed: 'Weir 已完成设置',
  linkUsedHint: '请使用你的账户登录。如果没有账户，请联系管理员。',
  yourNameHint: '登录时使用此名称。',
  mistakes: {
    nameMissing: '请输入名称。',
    passwordMissing: '请输入密码。',
    passwordShort: (least) => `至少需要 ${least} 个字符。`,
  },
  again: {
    title: '您的会话已结束',
    lead: '请登录以继续。您在此页面上输入的内容会保留。',
    leave: '离开此页面',
  },
  needsLinkCommand: '找不到链接，或链接已过期？在运行 Weir 的文件夹中执行此命令可获得新链接：',
  needsLinkContainer: '如果 Weir 在容器中或以可执行文件运行，请在那里执行 `weir set-up-link`。',
  roles: { owner: '所有者', admin: '管理员', member: '成员', viewer: '查看者' },
  notForRole: '你无权访问此页面',
  notForRoleHint: (role) => `你的角色是${role}。管理员可以在设置中更改。`,
};
