/** Chinese words for signing in, set-up and the account. */

import type { Words } from '../en.ts';

export const session: Words['session'] = {
  name: '名称',
  password: '密码',
  passwordHint: '至少 10 个字符，最好是一句您能记住的话。',
  showPassword: '显示密码',
  signIn: '登录',
  signOut: '退出登录',
  signedInAs: (name, role) => `${name}（${role}）`,
  tokenInstead: '只有令牌？',
  toPlayground: '到试用页面试一试',
  forgotten: '忘记密码？管理员可以为您重设。',
  setUpLead: '您将成为此 Weir 的所有者，以后可以在设置中添加其他人。',
  create: '创建账户',
  yourName: '您的名称',
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
  needsLink: '请打开一次性链接开始',
  needsLinkHint:
    'Weir 启动时会打印一个只能使用一次的链接。请从运行 Weir 的终端中打开它；链接一天内有效，重新启动会打印新的链接。',
  needsLinkCommand: '找不到链接，或链接已过期？在运行 Weir 的文件夹中执行此命令可获得新链接：',
  needsLinkContainer: '如果 Weir 在容器中或以可执行文件运行，请在那里执行 `weir set-up-link`。',
  linkUsed: '此 Weir 已完成设置',
  linkUsedHint: '请使用您的账户登录。如果没有账户，请联系设置它的人。',
  roles: { owner: '所有者', admin: '管理员', member: '成员', viewer: '查看者' },
  notForRole: '您的角色不包含此页面',
  notForRoleHint: (role) => `您当前以${role}身份登录，管理员可以在设置中更改。`,
};
