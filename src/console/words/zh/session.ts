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
  needsLink: '请打开一次性链接开始',
  needsLinkHint:
    'Weir 启动时会打印一个只能使用一次的链接。请从运行 Weir 的终端中打开它；链接一天内有效，重新启动会打印新的链接。',
  linkUsed: '此 Weir 已完成设置',
  linkUsedHint: '请使用您的账户登录。如果没有账户，请联系设置它的人。',
  roles: { owner: '所有者', admin: '管理员', member: '成员', viewer: '查看者' },
  notForRole: '您的角色不包含此页面',
  notForRoleHint: (role) => `您当前以${role}身份登录，管理员可以在设置中更改。`,
};
